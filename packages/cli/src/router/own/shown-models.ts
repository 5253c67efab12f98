import { modelId, type ModelConfig, type SchedulerView } from '@lswap/core'

/** What lists tell of a model's definition. */
export type ShownModel = Pick<ModelConfig, 'id' | 'name' | 'description' | 'idleMs' | 'aliases'>

/** The configured models; then what left the configuration and has not stopped yet: it keeps its memory until then. */
export const shownModels = (configured: readonly ModelConfig[], view: SchedulerView): readonly ShownModel[] => {
  const known = new Set<string>(configured.map(({ id }) => id))
  const removed = [...view.models.keys()].filter((id) => !known.has(id))
  return [
    ...configured,
    ...removed.map((id) => ({
      id: modelId(id),
      name: undefined,
      description: undefined,
      idleMs: undefined,
      aliases: [],
    })),
  ]
}
