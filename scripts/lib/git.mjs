import { execa } from 'execa'
import { root } from './root.mjs'

/** What git prints in this checkout; undefined when it fails or is not there. */
export async function git(...args) {
  const ran = await execa('git', args, { cwd: root, timeout: 20_000, reject: false, stdin: 'ignore' })
  return ran.failed ? undefined : ran.stdout
}
