import { nearest, type Failure, type ModelConfig } from '@lswap/core'
import { scanningForStreams } from './early/wish.ts'
import { scanningFor } from './filter/filters.ts'
import type { ScannerOptions } from './model-name.ts'
import { scanningForPrompts, withPromptKeys } from './prompt/keys.ts'

/** The configured models, by every name they answer to. */
export interface Catalog {
  readonly models: readonly ModelConfig[]
  /** By id, else by alias. */
  find(name: string): ModelConfig | undefined
  /** Whether it names something, if only what stands for a model. */
  isName(name: string): boolean
  /** Whether it may stand for something elsewhere. */
  isIndirect(name: string): boolean
  /** How many segments of a path a name has at most. */
  readonly mostSegments: number
  /** How far bodies are read for their filters. */
  readonly scanning: ScannerOptions
  /** The same on routes that generate text. */
  readonly promptScanning: ScannerOptions
  /** The same where the answers may stream. */
  readonly streamScanning: ScannerOptions
  /** Whether it matters how a model's prompts begin: it has several replicas, and a picker goes by that. */
  readonly readsPrompt: (model: ModelConfig) => boolean
}

export interface CatalogOptions {
  /** Names that stand for something else. */
  readonly indirect: ReadonlySet<string>
  /** What is filtered besides the models. */
  readonly filtered: readonly Pick<ModelConfig, 'filters'>[]
  /** The picker goes by how prompts begin. */
  readonly picksByPrefix?: boolean
}

const NOTHING_ELSE: CatalogOptions = { indirect: new Set(), filtered: [] }

const isReplicated = ({ hosts }: ModelConfig): boolean => hosts.length > 1
const never = (): boolean => false

export const createCatalog = (models: readonly ModelConfig[], more: CatalogOptions = NOTHING_ELSE): Catalog => {
  const byName = new Map<string, ModelConfig>()
  for (const model of models) for (const alias of model.aliases) if (!byName.has(alias)) byName.set(alias, model)
  for (const model of models) byName.set(model.id, model)
  const find: Catalog['find'] = (name) => byName.get(name)
  const isName: Catalog['isName'] = (name) => byName.has(name) || more.indirect.has(name)
  const isIndirect: Catalog['isIndirect'] = (name) => more.indirect.has(name)
  const mostSegments = Math.max(0, ...[...byName.keys(), ...more.indirect].map((name) => name.split('/').length))
  const forFilters = scanningFor([...models, ...more.filtered], find, more.indirect)
  // Where nobody goes by prompts they cost nothing
  const readsPrompt = more.picksByPrefix === true && models.some(isReplicated) ? isReplicated : never
  const scanning = readsPrompt === never ? forFilters : withPromptKeys(forFilters)
  const promptScanning = readsPrompt === never ? scanning : scanningForPrompts(scanning, readsPrompt, find)
  const streamScanning = scanningForStreams(promptScanning, models, find)
  return { models, find, isName, isIndirect, mostSegments, scanning, promptScanning, streamScanning, readsPrompt }
}

/** What listed models are called. */
export const namesOf = (models: readonly ModelConfig[]): readonly string[] =>
  models.flatMap(({ id, aliases, unlisted }) => (unlisted ? [] : [id, ...aliases]))

/** Longer names are cut in messages. */
const SHOWN = 120
/** So many names are compared, some microseconds each: whoever asks for names that are not there must not keep others waiting. */
const MOST_COMPARED = 1_000

/** `known`: what the caller may be told of. The nearest is, if it is near enough to be meant. */
export const modelNotFound = (name: string, known: readonly string[]): Failure => {
  const meant = nearest(name, known.slice(0, MOST_COMPARED))
  return {
    code: 'model_not_found',
    message:
      `No model "${name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name}" is configured.` +
      (meant === undefined ? '' : ` Did you mean "${meant}"?`),
    hint: '`lswap models` or GET /v1/models lists them.',
  }
}

export const formsKeepNames = (model: string): Failure => ({
  code: 'model_not_found',
  message: `In a form a model of a peer is called by the peer's own name for it, "${model}".`,
})
