import type { Endpoint } from '../../pick/picker.ts'
import type { EndpointMetrics } from '../events.ts'
import { settleLingering } from './lingering.ts'
import type { PlacementState } from './placement.ts'
import type { Granted, State } from './state.ts'

/** A grant of the very millisecond of the sample counts as later: the engine can hardly have told of it. */
const isSince = (grantedAt: number, { sample }: PlacementState): boolean =>
  sample !== undefined && grantedAt >= sample.sampledAt

/** Takes in the latest metrics of a process; false: they are older than what is known. */
export const noteSample = (state: State, target: PlacementState, metrics: EndpointMetrics): boolean => {
  // A clock that is ahead would keep a sample fresh for ever
  const sampledAt = Math.min(metrics.sampledAt, state.now)
  if (target.sample !== undefined && sampledAt < target.sample.sampledAt) return false
  target.sample = { ...metrics, sampledAt }
  target.dispatchedSince = 0
  for (const granted of state.granted.values()) if (granted.key === target.key) noteDispatch(target, granted)
  settleLingering(target)
  return true
}

/** One more that the sample lacks. */
export const noteDispatch = (target: PlacementState, granted: Granted): void => {
  if (isCounted(target, granted)) target.dispatchedSince += 1
}

/** One fewer, where it was counted: by the process that served it and no later one. */
export const noteRelease = (target: PlacementState, granted: Granted): void => {
  if (isCounted(target, granted)) target.dispatchedSince -= 1
}

const isCounted = (target: PlacementState, { epoch, grantedAt, waiter }: Granted): boolean =>
  waiter.request.takesSlot &&
  target.process.phase === 'ready' &&
  target.process.epoch === epoch &&
  isSince(grantedAt, target)

/** The replica as a picker sees it. */
export const endpointOf = (target: PlacementState, slots: number): Endpoint => {
  const endpoint = measuredAt(target, slots)
  return target.prefixes === undefined ? endpoint : { ...endpoint, prefixes: target.prefixes.held }
}

const measuredAt = ({ placement, inFlight, sample, dispatchedSince }: PlacementState, slots: number): Endpoint => {
  if (sample === undefined) return { placement, inFlight, slots }
  const { deferred, running: _running, ...metrics } = sample
  const waiting = sample.waiting ?? deferred
  return { ...metrics, placement, inFlight, slots, dispatchedSince, ...(waiting === undefined ? {} : { waiting }) }
}
