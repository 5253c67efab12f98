import type { Candidate } from '../endpoint.ts'
import { limitFor, type Thresholds } from '../settings.ts'
import { keepWhere } from './filter.ts'
import type { Filter } from './filter.ts'

/** The gate for requests that are not critical: a short queue and room in the KV cache, both thresholds included. */
export const hasCapacity: Filter = (candidates, { thresholds }) =>
  keepWhere(candidates, (candidate) => isCapable(candidate, thresholds))

export const isCapable = ({ waiting, kv, inFlight, slots }: Candidate, thresholds: Thresholds): boolean =>
  (thresholds.idlePasses && inFlight === 0) ||
  (waiting <= limitFor(thresholds.queueThresholdCritical, slots) && kv <= thresholds.kvCacheThreshold)
