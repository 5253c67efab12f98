import type { ModelPolicy } from '../options.ts'
import { isOpen, isServing, type PlacementState } from '../state/placement.ts'
import { placementsOf, type Turn } from '../turn.ts'
import { clearedOrWaiting, considerHost, type Candidate } from './route.ts'

/** Where and when a model comes back by itself. */
export interface Restore extends Candidate {
  readonly at: number
}

/**
 * Where a model that is nowhere comes back soonest, if nobody wants anything until then; undefined: nowhere, as things are.
 * It takes the place of idle models only, and of none that comes back itself: two would go for each other for ever.
 */
export const restoreOf = (turn: Turn, policy: ModelPolicy): Restore | undefined => {
  const { state } = turn
  const { restoreMs } = policy
  if (restoreMs === undefined || state.closed !== undefined || state.dismissed.has(policy.id)) return undefined
  const placements = placementsOf(turn, policy)
  if (placements.some(({ process, leaving }) => process.phase !== 'stopped' || leaving !== undefined)) return undefined
  let soonest: Restore | undefined
  for (const target of placements) {
    if (isAskedOn(turn, target)) continue
    const candidate = considerHost(turn, policy, target)
    if (candidate === undefined || 'type' in candidate || !takesIdleOnly(turn, candidate)) continue
    const at = quietSince(turn, candidate) + restoreMs
    if (soonest === undefined || at < soonest.at) soonest = { ...candidate, at }
  }
  return soonest
}

/** Whoever waits for a model that may run there comes first. */
const isAskedOn = ({ state, rules }: Turn, { placement }: PlacementState): boolean => {
  for (const model of state.room.models()) {
    if (rules.models.get(model)?.hosts.includes(placement.host) === true) return true
  }
  return false
}

const takesIdleOnly = (turn: Turn, candidate: Candidate): boolean =>
  clearedOrWaiting(turn, candidate).type === 'start' &&
  candidate.evict.every(
    (victim) =>
      isOpen(victim) && !isServing(victim) && turn.rules.models.get(victim.placement.model)?.restoreMs === undefined,
  )

/** Since when nothing began or ended there, and nothing was used that would have to go; what may stay beside it may work on. */
const quietSince = ({ state }: Turn, { target, evict }: Candidate): number => {
  let since = 0
  for (const other of state.placements.values()) {
    if (other.placement.host !== target.placement.host) continue
    since = Math.max(since, other.since, evict.includes(other) ? other.idleSince : 0)
  }
  return since
}
