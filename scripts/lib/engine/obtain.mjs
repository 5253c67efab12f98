import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { arch } from 'node:os'
import { join } from 'node:path'
import { cacheDir } from '../cache-dir.mjs'
import { checkEngine } from './check-engine.mjs'
import { fetchFromDebian } from './debian.mjs'
import { NoEngine } from './no-engine.mjs'
import { engineOnPath, isExecutable, tellsVersion } from './on-path.mjs'
import { run } from './run.mjs'

/** The path of a llama-server that works here: on the PATH, kept from before, or got now. Throws NoEngine. */
export async function obtainEngine({ env, platform, install, say }) {
  const present = await engineOnPath({ env, platform, say })
  if (present !== undefined) return present
  if (platform === 'darwin') return fromBrew({ env, platform, install, say })
  if (platform !== 'linux') {
    throw new NoEngine('unavailable', 'no llama-server on the PATH; take one of the releases of llama.cpp')
  }
  return kept({ folder: env.LSWAP_ENGINE_DIR || join(cacheDir(env, platform), 'engine'), say })
}

async function fromBrew({ env, platform, install, say }) {
  if (!install) {
    throw new NoEngine('unavailable', 'no llama-server on the PATH; run `brew install llama.cpp` (or this with --yes)')
  }
  say('brew install llama.cpp')
  const brewed = await run('brew', ['install', 'llama.cpp'], { timeoutMs: 280_000 })
  const path = await engineOnPath({ env, platform, say })
  if (path !== undefined) return path
  throw new NoEngine('unavailable', `brew install llama.cpp: ${brewed.stderr.trim().split('\n').at(-1)}`)
}

/** Fetched once and kept. Everything happens in a folder beside it, renamed only when the engine has proved to work. */
async function kept({ folder, say }) {
  const home = join(folder, `debian-${arch()}`)
  const path = join(home, 'llama-server')
  if (await isExecutable(path)) {
    if (await tellsVersion(path)) return path
    say(`${path} does not start any more; getting it again`)
    await rm(home, { recursive: true, force: true })
  }
  await mkdir(folder, { recursive: true })
  const scratch = await mkdtemp(join(folder, 'new-'))
  const clean = () => rmSync(scratch, { recursive: true, force: true })
  process.once('exit', clean)
  try {
    const root = join(scratch, 'root')
    await mkdir(root)
    await fetchFromDebian({ root, scratch, say })
    say('starting it on a made-up model')
    await checkEngine({ file: join(root, 'llama-server'), scratch })
    await rename(root, home).catch(async (error) => {
      // Two at once: whoever is later uses what the other has made.
      if (!(await isExecutable(path))) throw error
    })
  } finally {
    process.off('exit', clean)
    clean()
  }
  return path
}
