import type { ModelPolicy } from '../options.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import { placementsOf, slotsOf, type Turn } from '../turn.ts'

/** Taken for what was not measured yet, and told to a client that is refused before anything was. */
const UNKNOWN_MS = 5_000

/** When a refused client had better come back: position × median service time ÷ slots + load time. */
export const retryAfterMs = (turn: Turn, policy: ModelPolicy): number => {
  const { measures, room } = turn.state
  const service = measures.median('service', policy.id)
  if (service === undefined) return UNKNOWN_MS
  const placements = placementsOf(turn, policy)
  let slots = 0
  let loadMs = Infinity
  for (const target of placements) {
    if (target.process.phase === 'ready') slots += target.process.slots
    else loadMs = Math.min(loadMs, measures.median('load', target.key) ?? 0)
  }
  const position = room.depthOf(policy.id) + 1
  if (slots > 0) return (position * service) / slots
  return (position * service) / slotsOf(policy, undefined) + (Number.isFinite(loadMs) ? loadMs : 0)
}

/** How long until the model could serve at `target`: drain and stop what must go, then load. For comparing hosts. */
export const startEstimateMs = (turn: Turn, target: PlacementState, evict: readonly PlacementState[]): number => {
  const { measures } = turn.state
  let clearMs = 0
  for (const victim of evict) {
    clearMs = Math.max(clearMs, drainEstimateMs(turn, victim) + (measures.median('stop', victim.key) ?? 0))
  }
  return clearMs + (measures.median('load', target.key) ?? 0)
}

/** How long a model is still needed by those it serves, and by those who wait for its load. */
const drainEstimateMs = (turn: Turn, victim: PlacementState): number => {
  const { measures, room } = turn.state
  const isLoading = victim.process.phase === 'loading' && room.depthOf(victim.placement.model) > 0
  if (!isLoading && !isServing(victim)) return 0
  const service = measures.median('service', victim.placement.model) ?? UNKNOWN_MS
  return isLoading ? service + (measures.median('load', victim.key) ?? UNKNOWN_MS) : service
}
