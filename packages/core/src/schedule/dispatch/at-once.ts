import { occupy } from '../act/grant.ts'
import type { ModelPolicy } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { Request } from '../request.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import { endpointOf } from '../state/sample.ts'
import { logOf } from '../state/state.ts'
import { newWaiter } from '../state/waiter.ts'
import { isHostUp, placementsOf, type Turn } from '../turn.ts'

/**
 * Grants a request that nobody comes before to the only replica there is, which is how nearly all of a loaded model's go:
 * the decision that the queue would come to, without a place in it. False: it is to be queued and decided on.
 */
export const grantAtOnce = (turn: Turn, policy: Policy, request: Request): boolean => {
  const { state, rules } = turn
  const model = rules.models.get(request.model)
  const { picker } = rules
  if (picker.takesOnly === undefined || model === undefined || !request.takesSlot || state.closed !== undefined)
    return false
  if (state.claims.length > 0 || state.room.depthOf(model.id) > 0 || state.room.callers.isAtLimit(request)) return false
  const target = onlyReplica(turn, model)
  if (target?.process.phase !== 'ready' || target.inFlight >= target.process.slots) return false
  // Somebody waits for it to go, and a grant may begin its drain anew
  if (target.drainingSince !== undefined) return false
  const reason = picker.takesOnly(request, endpointOf(target, target.process.slots), turn.now)
  if (reason === undefined) return false
  const countsFrom = policy.arrivalOf(turn, request)
  const rank = policy.rankOf(turn, request, countsFrom)
  const at = turn.now
  const { placement } = target
  // As the queue would have noted it, in one piece: a list that grows takes the room of many steps
  const waiter = newWaiter(turn, request, {
    countsFrom,
    rank,
    steps: [
      { at, type: 'received' },
      { at, type: 'queued', ahead: 0 },
      { at, type: 'granted', placement, reason },
    ],
  })
  policy.note(turn, waiter)
  occupy(turn, waiter, { target, backfilled: false })
  logOf(state, model.id).unblock()
  return true
}

/** Undefined: there is none, or a choice. */
const onlyReplica = (turn: Turn, model: ModelPolicy): PlacementState | undefined => {
  let only: PlacementState | undefined
  for (const target of placementsOf(turn, model)) {
    if (!isOpen(target) || !isHostUp(turn, target.placement)) continue
    if (only !== undefined) return undefined
    only = target
  }
  return only
}
