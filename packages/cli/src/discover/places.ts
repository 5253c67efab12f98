import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { Io } from '../io.ts'

/** A folder that models are looked for in. */
export interface ModelPlace {
  readonly path: string
  /** What a person calls it. */
  readonly what: string
}

export interface PlacesOptions {
  readonly env: Io['env']
  readonly cwd: string
  readonly platform: NodeJS.Platform
}

/** Where people and their programs put models, the nearest first. */
export const modelPlaces = ({ env, cwd, platform }: PlacesOptions): readonly ModelPlace[] => {
  const home = env['HOME'] || env['USERPROFILE'] || homedir()
  const set = (name: string): string | undefined => env[name] || undefined
  const caches = absolute(set('XDG_CACHE_HOME')) ?? join(home, '.cache')
  const place = (what: string, ...paths: readonly string[]): readonly ModelPlace[] =>
    paths.map((path) => ({ path: resolve(cwd, path), what }))
  return [
    ...place('./models', 'models'),
    ...place('~/models', join(home, 'models')),
    ...place(
      'the llama.cpp cache',
      set('LLAMA_CACHE') ?? join(llamaCaches({ env, home, caches, platform }), 'llama.cpp'),
    ),
    ...place(
      'the Hugging Face cache',
      set('HF_HUB_CACHE') ?? set('HUGGINGFACE_HUB_CACHE') ?? join(set('HF_HOME') ?? join(caches, 'huggingface'), 'hub'),
    ),
    ...place("LM Studio's models", join(home, '.lmstudio', 'models'), join(home, '.cache', 'lm-studio', 'models')),
  ]
}

const absolute = (path: string | undefined): string | undefined =>
  path !== undefined && isAbsolute(path) ? path : undefined

interface Caches {
  readonly env: Io['env']
  readonly home: string
  readonly caches: string
  readonly platform: NodeJS.Platform
}

/** As llama.cpp itself chooses it. */
const llamaCaches = ({ env, home, caches, platform }: Caches): string => {
  if (platform === 'darwin') return join(home, 'Library', 'Caches')
  return platform === 'win32' ? env['LOCALAPPDATA'] || join(home, 'AppData', 'Local') : caches
}
