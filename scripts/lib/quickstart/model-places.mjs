import { homedir } from 'node:os'
import { join } from 'node:path'

/** Folders in which people and other programs keep GGUF files. */
export function modelPlaces({ cwd, env = process.env, home = homedir(), platform = process.platform }) {
  const caches = platform === 'darwin' ? join(home, 'Library/Caches') : env.XDG_CACHE_HOME || join(home, '.cache')
  const huggingFace = env.HF_HOME || join(env.XDG_CACHE_HOME || join(home, '.cache'), 'huggingface')
  return [
    join(cwd, 'models'),
    join(home, 'models'),
    env.LLAMA_CACHE || join(caches, 'llama.cpp'),
    env.HF_HUB_CACHE || join(huggingFace, 'hub'),
    join(home, '.lmstudio/models'),
  ]
}
