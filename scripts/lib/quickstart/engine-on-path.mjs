import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'

/** The llama-server on the PATH; undefined where there is none, or where it does not even tell its version. */
export async function engineOnPath({ path = process.env.PATH ?? '', say }) {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const file = join(folder, process.platform === 'win32' ? 'llama-server.exe' : 'llama-server')
    if (!(await isExecutable(file))) continue
    const ran = await execa(file, ['--version'], { reject: false, stdin: 'ignore', timeout: 20_000 })
    if (!ran.failed) return file
    say(`${file} does not start (${ran.shortMessage}); looking for another`)
  }
  return undefined
}

async function isExecutable(file) {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
