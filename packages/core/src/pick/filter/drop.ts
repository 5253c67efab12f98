import type { Filter, FilterError } from './filter.ts'

export const DROPPED: FilterError = { error: 'dropping request due to limited backend resources' }

/** Ends the request. */
export const drop: Filter = () => DROPPED
