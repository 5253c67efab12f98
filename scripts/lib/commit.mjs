import { realpath } from 'node:fs/promises'
import { execa } from 'execa'
import { root } from './root.mjs'

/** Commit that is checked out, 12 hex digits; `unknown` outside a git checkout (a source archive, no git). */
export async function commitId() {
  const git = (...args) => execa('git', args, { cwd: root, timeout: 10_000, reject: false, stdin: 'ignore' })
  const top = await git('rev-parse', '--show-toplevel')
  // A source archive unpacked inside somebody else's repository must not carry that repository's commit.
  if (top.failed || (await realpath(top.stdout)) !== (await realpath(root))) return 'unknown'
  const head = await git('rev-parse', '--short=12', 'HEAD')
  return head.failed ? 'unknown' : head.stdout
}
