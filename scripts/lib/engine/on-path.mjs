import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from './run.mjs'

/** The first llama-server on the PATH that tells its version; undefined where there is none. */
export async function engineOnPath({ env, platform, say }) {
  const name = platform === 'win32' ? 'llama-server.exe' : 'llama-server'
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue
    const file = join(folder, name)
    if (!(await isExecutable(file))) continue
    if (await tellsVersion(file)) return file
    say(`${file} does not start; looking further`)
  }
  return undefined
}

export async function tellsVersion(file) {
  const { code } = await run(file, ['--version'], { timeoutMs: 20_000 })
  return code === 0
}

export async function isExecutable(file) {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
