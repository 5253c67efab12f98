import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Io } from '../../io.ts'

/** Where the agent keeps its lock and run files. */
export const stateDir = ({ env, cwd }: Pick<Io, 'env' | 'cwd'>): string => {
  if (env['LSWAP_STATE_DIR']) return resolve(cwd, env['LSWAP_STATE_DIR'])
  return join(env['XDG_STATE_HOME'] || join(env['HOME'] || homedir(), '.local', 'state'), 'lswap')
}
