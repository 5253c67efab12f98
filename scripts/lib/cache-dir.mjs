import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where generated models and configurations are kept: never in the checkout. `$LSWAP_CACHE_DIR` overrides it. */
export function cacheDir(env = process.env, platform = process.platform) {
  if (env.LSWAP_CACHE_DIR) return env.LSWAP_CACHE_DIR
  if (platform === 'darwin') return join(homedir(), 'Library/Caches/lswap')
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(homedir(), 'AppData/Local'), 'lswap')
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lswap')
}
