import { keepWhere } from './filter.ts'
import type { Filter } from './filter.ts'

/** Has the adapter or room for it, without a preference between the two. For trees of one's own: the tree has no use for it. */
export const lowLoraCost: Filter = (candidates, { target }) =>
  keepWhere(
    candidates,
    ({ activeAdapters, maxAdapters }) => activeAdapters.includes(target) || activeAdapters.length < maxAdapters,
  )
