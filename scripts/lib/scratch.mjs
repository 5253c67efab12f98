import { rmSync } from 'node:fs'
import { cp, mkdtemp, realpath, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from './root.mjs'

const settings = ['package.json', 'pnpm-workspace.yaml', 'tsconfig.json', 'tsconfig.base.json', 'knip.json']
const copied = [...settings, '.oxlintrc.json', '.gitignore', 'packages', 'scripts', 'test', 'bench', 'docs']
const built = new Set(['dist', 'bundle'])

/**
 * A copy of the sources in the temporary folder, to be broken on purpose; it is removed when this process ends.
 * Installed dependencies are linked; the links between the workspace's packages are relative, so those of the copy
 * lead to the copy.
 */
export async function makeScratch() {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'lswap-scratch-')))
  process.once('exit', () => rmSync(top, { recursive: true, force: true }))
  // Without a listener a signal ends the process with no 'exit' event, and the copy stays.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130))
  const options = { recursive: true, verbatimSymlinks: true, filter: (source) => !built.has(basename(source)) }
  await Promise.all(copied.map((name) => cp(join(root, name), join(top, name), options).catch(unlessAbsent)))
  await symlink(join(root, 'node_modules'), join(top, 'node_modules'))
  return top
}

function unlessAbsent(error) {
  if (error.code !== 'ENOENT') throw error
}
