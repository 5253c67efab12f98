import { processIdentity, startIdentity, type ModelConfig, type ModelId } from '@lswap/core'

export interface Reread {
  readonly before: readonly ModelConfig[]
  readonly now: readonly ModelConfig[]
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
