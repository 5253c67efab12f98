import type { Lane } from '../policy.ts'
import { ranksBefore, type Waiter } from '../state/waiter.ts'
import type { ModelQueue } from '../state/waiting-room.ts'

/** The first by rank, then arrival, of those in the lane. */
export const firstInLane = (queue: ModelQueue | undefined, lane: Lane): Waiter | undefined => {
  if (lane === 'critical') return queue?.critical.head()
  const slotless = queue?.slotless.head()
  if (lane === 'slotless') return slotless
  const slotted = queue?.slotted.head()
  if (slotted === undefined || slotless === undefined) return slotted ?? slotless
  return ranksBefore(slotless, slotted) ? slotless : slotted
}
