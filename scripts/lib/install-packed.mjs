import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './root.mjs'

const limits = { stdin: 'ignore', timeout: 180_000 }

/** Packs the CLI and installs the archive, alone, in an empty folder below `top`. Returns the installed command. */
export async function installPacked(top) {
  const packed = join(top, 'packed')
  const home = join(top, 'home')
  await Promise.all([mkdir(packed), mkdir(home)])
  await execa('npm', ['pack', '--pack-destination', packed], { cwd: join(root, 'packages/cli'), ...limits })
  const archives = await readdir(packed)
  if (archives.length !== 1) throw new Error(`npm pack made ${archives.length} archives: ${archives.join(', ')}`)
  // --offline: an archive that needs anything else from the registry does not run alone.
  // --prefix: npm would otherwise install into a folder above that happens to hold a package.json.
  const flags = ['--offline', '--no-audit', '--no-fund', '--prefix', home]
  await execa('npm', ['install', ...flags, join(packed, archives[0])], { cwd: home, ...limits })
  return { home, installed: join(home, 'node_modules/lswap'), bin: join(home, 'node_modules/.bin/lswap') }
}
