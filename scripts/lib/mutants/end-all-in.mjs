import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Kills what runs out of a folder, or in it: a hanging test ends nothing of what it started, and engines have process groups
 * of their own. Again until nothing is left, as what dies may be followed. Not asynchronous, so that it can be the last thing
 * that a process does. Returns whom it killed.
 */
export function endAllIn(folder) {
  const killed = new Set()
  for (let round = 0; round < 10; round += 1) {
    const left = processes().filter(({ pid, command, cwd }) => pid !== process.pid && isIn(folder, command, cwd))
    if (left.length === 0) break
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL')
        killed.add(pid)
      } catch {
        // It ended meanwhile
      }
    }
  }
  return [...killed]
}

const isIn = (folder, command, cwd) => command.includes(`${folder}/`) || `${cwd}/`.startsWith(`${folder}/`)

function processes() {
  if (process.platform !== 'linux') {
    const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
    return lines.map((line) => ({ pid: Number.parseInt(line, 10), command: line, cwd: '' }))
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => ({
    pid: Number(pid),
    command: read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    cwd: read(() => readlinkSync(`/proc/${pid}/cwd`)),
  }))
}

function read(look) {
  try {
    return look()
  } catch {
    return ''
  }
}
