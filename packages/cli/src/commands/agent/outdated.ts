import { processIdentity, startIdentity, type ModelConfig, type ModelId } from '@lswap/core'

interface Definitions {
  readonly before: readonly ModelConfig[]
  readonly now: readonly ModelConfig[]
}

export interface Reread extends Definitions {
  /** Those whose load is under way. */
  readonly loading: readonly ModelId[]
}

/**
 * The models whose processes have to end after the file was read again: those that are gone or run as something else, and loads of which
 * something is different that decides when a start is good, since they would be waited for by rules that are gone.
 */
export const outdatedModels = ({ before, now, loading }: Reread): readonly ModelId[] => {
  const next = new Map(now.map((model) => [model.id, model]))
  const isOutdated = (old: ModelConfig): boolean => {
    const model = next.get(old.id)
    if (model === undefined || processIdentity(old) !== processIdentity(model)) return true
    return loading.includes(old.id) && startIdentity(old) !== startIdentity(model)
  }
  return before.filter(isOutdated).map(({ id }) => id)
}

/** The models that would be started otherwise than before. */
export const redefinedModels = ({ before, now }: Definitions): readonly ModelId[] => {
  const earlier = new Map(before.map((model) => [model.id, startIdentity(model)]))
  return now
    .filter((model) => (earlier.get(model.id) ?? startIdentity(model)) !== startIdentity(model))
    .map(({ id }) => id)
}
