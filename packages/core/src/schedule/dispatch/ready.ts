import type { Failure } from '../../errors/failure.ts'
import type { RequestId } from '../../ids.ts'
import type { Endpoint, PickStep } from '../../pick/picker.ts'
import type { ModelPolicy } from '../options.ts'
import type { Lane } from '../policy.ts'
import { isCounted, type Request } from '../request.ts'
import { mayBackfill } from '../rules/backfill.ts'
import { retryAfterMs } from '../rules/estimate.ts'
import type { WaitCause } from '../scheduler.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import { lingeringAt } from '../state/lingering.ts'
import { endpointOf } from '../state/sample.ts'
import { isHostUp, type Turn } from '../turn.ts'
import { claimOnUse, type Contender, type Need } from './claims.ts'

/** Why the ready replicas of a model do not serve one waiter now. */
export interface NotNow {
  readonly type: 'not-now'
  readonly cause: WaitCause
  /** Replicas whose next slot is its own. */
  readonly needs: readonly Need[]
  /** Who behind it is not stopped by this. */
  readonly passes: readonly Lane[]
}

/** What the ready replicas of a model can do for one waiter. */
export type Use =
  | {
      readonly type: 'grant'
      readonly target: PlacementState
      readonly reason: string
      readonly trace: readonly PickStep[] | undefined
      /** Its slot is held for another, who is not delayed by it. */
      readonly backfilled: boolean
    }
  | { readonly type: 'reject'; readonly failure: Failure }
  | NotNow

export const heldFor = (request: RequestId): WaitCause => ({ type: 'held-for', request })

/** A ready replica with room; or why there is none; undefined: no replica is ready. */
export const useReady = (
  turn: Turn,
  policy: ModelPolicy,
  asked: { placements: readonly PlacementState[]; contender: Contender },
): Use | undefined => {
  const { contender } = asked
  const { request } = contender.waiter
  const open = asked.placements.filter((target) => isOpen(target) && isHostUp(turn, target.placement))
  // Mostly none is, and every look at a blocked model comes through here
  if (open.length === 0) return undefined
  const free: PlacementState[] = []
  const endpoints: Endpoint[] = []
  const full: PlacementState[] = []
  let backfills: Set<PlacementState> | undefined
  let held: RequestId | undefined
  for (const target of open) {
    if (target.process.phase !== 'ready') continue
    const { slots } = target.process
    if (request.takesSlot && target.inFlight >= slots) {
      full.push(target)
      continue
    }
    // What only looks takes nothing that is kept for another.
    const claimed = isCounted(request) ? claimOnUse(turn, contender, target) : undefined
    if (claimed !== undefined) {
      held = claimed.request
      if (!mayBackfill(turn, contender.waiter, claimed)) continue
      backfills = (backfills ?? new Set()).add(target)
    }
    free.push(target)
    endpoints.push(endpointOf(target, slots))
  }
  if (free.length > 0) return choose(turn, policy, { request, free, endpoints, backfills })
  if (full.length > 0) return slotsFull(full)
  return held === undefined ? undefined : { type: 'not-now', cause: heldFor(held), needs: [], passes: [] }
}

interface Choice {
  readonly request: Request
  readonly free: readonly PlacementState[]
  readonly endpoints: readonly Endpoint[]
  readonly backfills: ReadonlySet<PlacementState> | undefined
}

const choose = (turn: Turn, policy: ModelPolicy, { request, free, endpoints, backfills }: Choice): Use => {
  // What takes no slot adds to no queue, so no gate on queues stops it.
  const asked: Request = request.takesSlot ? request : { ...request, criticality: 'critical' }
  const crowded = withLingering(turn, free, endpoints)
  let pick = turn.rules.picker.pick(asked, crowded, turn.now)
  let among = crowded
  if (pick.chosen === undefined && crowded !== endpoints) {
    // Nobody waits for what may have ended by now: it only comes after others
    pick = turn.rules.picker.pick(asked, endpoints, turn.now)
    among = endpoints
  }
  if (pick.chosen === undefined) {
    const { reason, failure } = pick
    if (pick.onSaturation === 'shed') {
      // It is in the queue already.
      const position = turn.state.room.depthOf(policy.id)
      return { type: 'reject', failure: { ...failure, retryAfterMs: retryAfterMs(turn, policy, position) } }
    }
    const placements = free.map((target) => target.placement)
    // It leaves its slot unused, so it is not in the way of those that the gate is not for.
    return { type: 'not-now', cause: { type: 'saturated', placements, reason }, needs: [], passes: SATURATION_PASSES }
  }
  const target = free[among.indexOf(pick.chosen)]
  if (target === undefined) throw new Error('the picker chose an endpoint that it was not given')
  // One replica is no choice.
  const trace = free.length > 1 ? pick.trace : undefined
  return { type: 'grant', target, reason: pick.reason, trace, backfilled: backfills?.has(target) === true }
}

/** As a picker is to see them where it has a choice: what an engine is still at takes one of its slots, though nobody waits for the answer. */
const withLingering = (
  turn: Turn,
  free: readonly PlacementState[],
  endpoints: readonly Endpoint[],
): readonly Endpoint[] => {
  if (free.every(({ lingering }) => lingering.length === 0)) return endpoints
  return endpoints.map((endpoint, at) => {
    const target = free[at]
    const lingering = target === undefined ? 0 : lingeringAt(target, turn.now)
    return lingering === 0 ? endpoint : { ...endpoint, inFlight: endpoint.inFlight + lingering }
  })
}

const SATURATION_PASSES: readonly Lane[] = ['critical', 'slotless']
const FULL_PASSES: readonly Lane[] = ['slotless']

const slotsFull = (full: readonly PlacementState[]): NotNow => {
  const [first] = full
  if (first?.process.phase !== 'ready') throw new Error('a replica without slots is full')
  return {
    type: 'not-now',
    cause: { type: 'slots-full', placement: first.placement, slots: first.process.slots },
    needs: full.map((target) => ({ target, evict: [] })),
    passes: FULL_PASSES,
  }
}
