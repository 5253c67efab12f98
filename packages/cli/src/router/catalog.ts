import type { Failure, ModelConfig } from '@lswap/core'

/** The configured models, by every name they answer to. */
export interface Catalog {
  readonly models: readonly ModelConfig[]
  /** By id, else by alias. */
  find(name: string): ModelConfig | undefined
}

export const createCatalog = (models: readonly ModelConfig[]): Catalog => {
  const byName = new Map<string, ModelConfig>()
  for (const model of models) for (const alias of model.aliases) if (!byName.has(alias)) byName.set(alias, model)
  for (const model of models) byName.set(model.id, model)
  return { models, find: (name) => byName.get(name) }
}

/** Longer names are cut in messages. */
const SHOWN = 120

export const modelNotFound = (name: string): Failure => ({
  code: 'model_not_found',
  message: `No model "${name.length > SHOWN ? `${name.slice(0, SHOWN)}…` : name}" is configured.`,
  hint: 'GET /v1/models lists the models.',
})
