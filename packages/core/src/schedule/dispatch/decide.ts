import type { Failure } from '../../errors/failure.ts'
import type { RequestId } from '../../ids.ts'
import type { Endpoint } from '../../pick/picker.ts'
import { notConfigured } from '../act/reject.ts'
import type { ModelPolicy } from '../options.ts'
import type { Policy } from '../policy.ts'
import { mayBackfill } from '../rules/backfill.ts'
import { routeToStart } from '../rules/route.ts'
import type { WaitCause } from '../scheduler.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import type { SwapState } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import { swapAt } from '../act/swap.ts'
import { isHostUp, placementsOf, type Turn } from '../turn.ts'
import { claimOnSwap, claimOnUse, type Contender, type Need } from './claims.ts'

/** What can be done for one waiter now. `need` is what it waits for on its cheapest host. */
export type Decision =
  | {
      readonly type: 'grant'
      readonly target: PlacementState
      readonly reason: string
      /** Its slot is held for another, who is not delayed by it. */
      readonly backfilled: boolean
    }
  | { readonly type: 'join'; readonly swap: SwapState; readonly cause: WaitCause }
  | { readonly type: 'swap'; readonly target: PlacementState; readonly evict: readonly PlacementState[] }
  | { readonly type: 'wait'; readonly cause: WaitCause; readonly need: Need | undefined }
  | { readonly type: 'reject'; readonly failure: Failure }

const heldFor = (request: RequestId): WaitCause => ({ type: 'held-for', request })

/** What to do for one waiter: grant it, join its load, wait for a slot, then swap or wait for room. */
export const decide = (turn: Turn, policy: Policy, waiter: Waiter): Decision => {
  const model = turn.rules.models.get(waiter.request.model)
  if (model === undefined) return { type: 'reject', failure: notConfigured(waiter.request.model) }
  const contender: Contender = { waiter, strength: policy.strengthOf(turn, waiter) }
  const placements = placementsOf(turn, model)
  const use = useReady(turn, placements, contender)
  if (use !== undefined) return use
  for (const target of placements) {
    const swap = swapAt(turn.state, target)
    if (swap === undefined || swap.aborting || target.leaving !== undefined) continue
    return { type: 'join', swap, cause: { type: 'loading', placement: target.placement, sinceMs: swap.startedAt } }
  }
  const full = placements.find((target) => isOpen(target) && isHostUp(turn, target.placement))
  if (full?.process.phase === 'ready') {
    const cause: WaitCause = { type: 'slots-full', placement: full.placement, slots: full.process.slots }
    return { type: 'wait', cause, need: { target: full, evict: [] } }
  }
  if (waiter.request.noLoad) return { type: 'reject', failure: notLoaded(model) }
  return startOrWait(turn, model, contender)
}

/** A ready replica with room; or the wait for the request that it is kept for. */
const useReady = (turn: Turn, placements: readonly PlacementState[], contender: Contender): Decision | undefined => {
  const { request } = contender.waiter
  const free: Endpoint[] = []
  const targets: PlacementState[] = []
  const backfills = new Set<PlacementState>()
  let held: RequestId | undefined
  for (const target of placements) {
    if (!isOpen(target) || target.process.phase !== 'ready' || !isHostUp(turn, target.placement)) continue
    const { slots } = target.process
    if (request.takesSlot && target.inFlight >= slots) continue
    const claimed = claimOnUse(turn, contender, target)
    if (claimed !== undefined) {
      held = claimed.request
      if (!mayBackfill(turn, contender.waiter, claimed)) continue
      backfills.add(target)
    }
    free.push({ placement: target.placement, inFlight: target.inFlight, slots })
    targets.push(target)
  }
  if (free.length > 0) {
    const pick = turn.rules.options.picker.pick(request, free)
    const target = targets[free.indexOf(pick.chosen)]
    if (target === undefined) throw new Error('the picker chose an endpoint that it was not given')
    return { type: 'grant', target, reason: pick.reason, backfilled: backfills.has(target) }
  }
  return held === undefined ? undefined : { type: 'wait', cause: heldFor(held), need: undefined }
}

const startOrWait = (turn: Turn, model: ModelPolicy, contender: Contender): Decision => {
  const route = routeToStart(turn, model)
  if (route.type === 'impossible') return { type: 'reject', failure: route.failure }
  if (route.type === 'start') {
    const claimed = claimOnSwap(turn, contender, route)
    if (claimed !== undefined) return { type: 'wait', cause: heldFor(claimed.request), need: route }
    return { type: 'swap', target: route.target, evict: route.evict }
  }
  const need = route.target === undefined ? undefined : { target: route.target, evict: route.evict }
  return { type: 'wait', cause: route.cause, need }
}

const notLoaded = ({ id }: ModelPolicy): Failure => ({
  code: 'model_not_loaded',
  message: `model ${id} is not loaded, and the request forbids loading it`,
  hint: `load it first: lswap load ${id}`,
})
