import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const sources = join(dirname(dirname(fileURLToPath(import.meta.url))), 'native')
const programs = { upstream: ['upstream.c'], load: ['load.c', 'requests.c', 'streams.c', 'transfers.c'] }

/** Compiles the engine and the clients into a folder; their paths. */
export async function buildNative(folder) {
  const built = await Promise.all(
    Object.entries(programs).map(async ([name, files]) => {
      const to = join(folder, name)
      await compile(['-O2', '-Wall', '-Wextra', '-o', to, ...files.map((file) => join(sources, file))])
      return [name, to]
    }),
  )
  return Object.fromEntries(built)
}

async function compile(words) {
  try {
    await promisify(execFile)('cc', words)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    throw new Error('a C compiler is needed: `cc` (on Debian the package gcc)', { cause: error })
  }
}
