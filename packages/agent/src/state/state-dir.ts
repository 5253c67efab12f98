import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where an agent keeps what must outlive it, by the rules of the XDG base directories. */
export const defaultStateDir = (env: NodeJS.ProcessEnv = process.env): string => {
  const own = env['LSWAP_STATE_DIR']
  if (own !== undefined && own !== '') return own
  const base = env['XDG_STATE_HOME']
  return join(base !== undefined && base !== '' ? base : join(homedir(), '.local', 'state'), 'lswap')
}

/** Makes the directory for its owner alone. One that exists keeps its mode: it may be shared on purpose. */
export const makePrivateDir = async (path: string): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 })
}
