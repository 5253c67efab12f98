import type { ModelId } from '../../ids.ts'
import type { Turn } from '../turn.ts'

/** A pinned model is never evicted; an unload that names it unpins it until the configuration is read again. */
export const isPinned = ({ state, rules }: Turn, model: ModelId): boolean =>
  rules.models.get(model)?.pinned === true && !state.unpinned.has(model)
