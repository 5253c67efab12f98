import { findExecutable } from '@lswap/agent'
import type { Io } from '../io.ts'
import { findFiles, type FoundFile } from './find-files.ts'
import type { FoundModel } from './found-model.ts'
import { modelsOf } from './models.ts'
import type { PassedOver } from './passed-over.ts'
import { modelPlaces, type ModelPlace } from './places.ts'
import { readFiles } from './read-files.ts'
import { incompleteOf } from './split-parts.ts'

/** What is on this machine for a configuration. */
export interface Discovery {
  /** The path of llama-server; undefined: it is not on PATH. */
  readonly engine: string | undefined
  readonly models: readonly FoundModel[]
  /** Where was looked, in order. */
  readonly places: readonly ModelPlace[]
  /** Places with more than is looked at. */
  readonly cut: readonly ModelPlace[]
  /** Files and folders there that can not be used. */
  readonly passedOver: readonly PassedOver[]
}

export interface DiscoverOptions {
  readonly io: Pick<Io, 'env' | 'cwd'>
  readonly platform: NodeJS.Platform
}

/** The engine's names, the usual one first. */
const ENGINES = ['llama-server', 'llama-cpp-server']

/** Looks for llama-server and for models in the usual places. Changes nothing. */
export const discover = async ({ io, platform }: DiscoverOptions): Promise<Discovery> => {
  const places = modelPlaces({ ...io, platform })
  const found: FoundFile[] = []
  const unreadable: PassedOver[] = []
  const cut: ModelPlace[] = []
  for (const place of places) {
    const { files, passedOver, isCut } = await findFiles(place.path)
    if (isCut) cut.push(place)
    // Two places may be one folder, as ./models and ~/models at home
    found.push(...newTo(found, files))
    unreadable.push(...newTo(unreadable, passedOver))
  }
  const read = await readFiles(found)
  return {
    engine: await findEngine(io.env),
    models: modelsOf(read.files),
    places,
    cut,
    passedOver: [...unreadable, ...read.passedOver, ...incompleteOf(read.files)],
  }
}

const newTo = <Entry extends { readonly path: string }>(
  known: readonly Entry[],
  more: readonly Entry[],
): readonly Entry[] => {
  const paths = new Set(known.map(({ path }) => path))
  return more.filter(({ path }) => !paths.has(path))
}

const findEngine = async (env: Io['env']): Promise<string | undefined> => {
  for (const name of ENGINES) {
    const found = await findExecutable(name, env)
    if (found.ok) return found.path
  }
  return undefined
}
