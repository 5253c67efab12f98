import { readdir, readFile } from 'node:fs/promises'
import { execa } from 'execa'

/** Command lines of this machine's processes that contain a text, this process apart. */
export async function processesWith(text) {
  const lines = process.platform === 'linux' ? await fromProc() : await fromPs()
  return lines.filter(({ pid, command }) => pid !== process.pid && command.includes(text))
}

// ps is not part of every small Linux image.
async function fromProc() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    pids.map(async (pid) => {
      const raw = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return { pid: Number(pid), command: raw.replaceAll('\0', ' ').trim() }
    }),
  )
}

async function fromPs() {
  const { stdout } = await execa('ps', ['-axo', 'pid=,args='], { timeout: 10_000 })
  return stdout.split('\n').map((line) => {
    const [, pid, command] = /^ *(\d+) (.*)$/.exec(line) ?? []
    return { pid: Number(pid), command: command ?? '' }
  })
}
