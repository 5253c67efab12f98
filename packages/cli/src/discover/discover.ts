import { findExecutable } from '@lswap/agent'
import { basename } from 'node:path'
import type { Io } from '../io.ts'
import { findFiles, type FoundFile } from './find-files.ts'
import type { FoundModel, ReadFile } from './found-model.ts'
import { readGgufHeader } from '@lswap/agent/gguf'
import { readModelName } from './model-name.ts'
import { modelsOf } from './models.ts'
import { modelPlaces, type ModelPlace } from './places.ts'

/** What is on this machine for a configuration. */
export interface Discovery {
  /** The path of llama-server; undefined: it is not on PATH. */
  readonly engine: string | undefined
  readonly models: readonly FoundModel[]
  /** Where was looked, in order. */
  readonly places: readonly ModelPlace[]
  /** Places with more than is looked at. */
  readonly cut: readonly ModelPlace[]
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
  const cut: ModelPlace[] = []
  for (const place of places) {
    const { files, isCut } = await findFiles(place.path)
    if (isCut) cut.push(place)
    const known = new Set(found.map(({ path }) => path))
    found.push(...files.filter(({ path }) => !known.has(path)))
  }
  return { engine: await findEngine(io.env), models: modelsOf(await readAll(found)), places, cut }
}

const findEngine = async (env: Io['env']): Promise<string | undefined> => {
  for (const name of ENGINES) {
    const found = await findExecutable(name, env)
    if (found.ok) return found.path
  }
  return undefined
}

const readAll = async (files: readonly FoundFile[]): Promise<readonly ReadFile[]> => {
  const read: ReadFile[] = []
  for (const file of files) {
    const header = await readGgufHeader(file.path)
    // Half fetched, or something else by that name
    if (header === undefined) continue
    read.push({ ...file, name: readModelName(basename(file.path)), header })
  }
  return read
}
