import type { ModelPolicy } from '../options.ts'
import { isOpen, isServing, type PlacementState } from '../state/placement.ts'
import { placementsOf, slotsOf, type Turn } from '../turn.ts'

/** Taken for what was not measured yet, and told to a client that is refused before anything was. */
const UNKNOWN_MS = 5_000

/** Slots of a model's replicas, those that load included. */
export const slotsRunning = (turn: Turn, policy: ModelPolicy): number => {
  let slots = 0
  for (const target of placementsOf(turn, policy)) {
    if (target.process.phase === 'loading') slots += slotsOf(policy, undefined)
    else if (target.process.phase === 'ready' && isOpen(target)) slots += target.process.slots
  }
  return slots
}

/** When a refused client had better come back: position × median service time ÷ slots + load time. */
export const retryAfterMs = (
  turn: Turn,
  policy: ModelPolicy,
  /** Where it would stand in the queue of its model, 1 first; absent: at its end. */
  position = turn.state.room.depthOf(policy.id) + 1,
): number => {
  const { measures } = turn.state
  const service = measures.median('service', policy.id)
  if (service === undefined) return UNKNOWN_MS
  const placements = placementsOf(turn, policy)
  const work = position * service
  const slots = slotsRunning(turn, policy)
  if (placements.some((target) => isOpen(target))) return work / slots
  let loadMs = Infinity
  for (const target of placements) loadMs = Math.min(loadMs, loadEstimateMs(turn, target) ?? 0)
  return work / Math.max(slots, slotsOf(policy, undefined)) + (Number.isFinite(loadMs) ? loadMs : 0)
}

/** Median of the loads there; where none was measured the longest elsewhere, so that a promise is rather kept than made. */
export const loadEstimateMs = (turn: Turn, { key, placement }: PlacementState): number | undefined => {
  const { measures } = turn.state
  const here = measures.median('load', key)
  if (here !== undefined) return here
  const policy = turn.rules.models.get(placement.model)
  if (policy === undefined || policy.hosts.length < 2) return undefined
  let longest: number | undefined
  for (const other of placementsOf(turn, policy)) {
    const there = measures.median('load', other.key)
    if (there !== undefined && (longest === undefined || there > longest)) longest = there
  }
  return longest
}

/** How long until the model could serve at `target`: drain and stop what must go, then load. For comparing hosts. */
export const startEstimateMs = (
  turn: Turn,
  { target, evict }: { readonly target: PlacementState; readonly evict: readonly PlacementState[] },
): number => {
  const { measures } = turn.state
  let clearMs = 0
  for (const victim of evict) {
    clearMs = Math.max(clearMs, drainEstimateMs(turn, victim) + (measures.median('stop', victim.key) ?? 0))
  }
  return clearMs + (loadEstimateMs(turn, target) ?? 0)
}

/** How long a model is still needed by those it serves, and by those who wait for its load. */
const drainEstimateMs = (turn: Turn, victim: PlacementState): number => {
  const { measures, room } = turn.state
  const isLoading = victim.process.phase === 'loading' && room.depthOf(victim.placement.model) > 0
  if (!isLoading && !isServing(victim)) return 0
  const service = measures.median('service', victim.placement.model) ?? UNKNOWN_MS
  return isLoading ? service + (measures.median('load', victim.key) ?? UNKNOWN_MS) : service
}
