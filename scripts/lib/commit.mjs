import { realpath } from 'node:fs/promises'
import { git } from './git.mjs'
import { root } from './root.mjs'

/** Commit that is checked out, 12 hex digits; `unknown` outside a git checkout (a source archive, no git). */
export async function commitId() {
  const top = await git('rev-parse', '--show-toplevel')
  // A source archive unpacked inside somebody else's repository must not carry that repository's commit.
  if (top === undefined || (await realpath(top)) !== (await realpath(root))) return 'unknown'
  return (await git('rev-parse', '--short=12', 'HEAD')) ?? 'unknown'
}
