import type { ModelId } from '../../ids.ts'
import type { Turn } from '../turn.ts'

/** A pinned model is never evicted. What an operator said last counts more than the configuration. */
export const isPinned = ({ state, rules }: Turn, model: ModelId): boolean =>
  state.pins.get(model) ?? rules.models.get(model)?.pinned === true

/** A configuration that is read again decides anew about what an unload unpinned; what was pinned by hand stays so. */
export const renewPins = ({ state, rules }: Turn): void => {
  for (const [model, pinned] of state.pins) if (!pinned || !rules.models.has(model)) state.pins.delete(model)
}
