import { limitFor } from '../settings.ts'
import { keepWhere } from './filter.ts'
import type { Filter } from './filter.ts'

/** Queues short enough that the adapter may decide before the queue does; the threshold itself is too long. */
export const lowQueue: Filter = (candidates, { thresholds }) =>
  keepWhere(candidates, ({ waiting, slots }) => waiting < limitFor(thresholds.queueingThresholdLoRA, slots))
