import type { Failure } from '../../errors/failure.ts'
import type { RequestId } from '../../ids.ts'
import type { Endpoint } from '../../pick/picker.ts'
import type { ModelPolicy } from '../options.ts'
import { routeToStart } from '../rules/route.ts'
import type { WaitCause } from '../scheduler.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import type { SwapState } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import { swapAt } from '../act/swap.ts'
import { isHostUp, placementsOf, type Turn } from '../turn.ts'
import { claimOnSwap, claimOnUse } from './claims.ts'

/** What can be done for one waiter now. `need` is what it waits for on its cheapest host. */
export type Decision =
  | { readonly type: 'grant'; readonly target: PlacementState; readonly reason: string }
  | { readonly type: 'join'; readonly swap: SwapState; readonly cause: WaitCause }
  | { readonly type: 'swap'; readonly target: PlacementState; readonly evict: readonly PlacementState[] }
  | { readonly type: 'wait'; readonly cause: WaitCause; readonly need: Need | undefined }
  | { readonly type: 'reject'; readonly failure: Failure }

interface Need {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
}

const heldFor = (request: RequestId): WaitCause => ({ type: 'held-for', request })

/** FIFO's decision for one request, in the order of its rules: grant, join, wait for a slot, then swap or wait for room. */
export const decide = (turn: Turn, policy: ModelPolicy, waiter: Waiter): Decision => {
  const placements = placementsOf(turn, policy)
  const use = useReady(turn, placements, waiter)
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
  if (waiter.request.noLoad) return { type: 'reject', failure: notLoaded(policy) }
  return startOrWait(turn, policy, waiter)
}

/** A ready replica with room; or the wait for the overdue request that it is kept for. */
const useReady = (turn: Turn, placements: readonly PlacementState[], waiter: Waiter): Decision | undefined => {
  const free: Endpoint[] = []
  const targets: PlacementState[] = []
  let held: RequestId | undefined
  for (const target of placements) {
    if (!isOpen(target) || target.process.phase !== 'ready' || !isHostUp(turn, target.placement)) continue
    const { slots } = target.process
    if (waiter.request.takesSlot && target.inFlight >= slots) continue
    const claimed = claimOnUse(turn, waiter, target)
    if (claimed !== undefined) {
      held = claimed.request
      continue
    }
    free.push({ placement: target.placement, inFlight: target.inFlight, slots })
    targets.push(target)
  }
  if (free.length > 0) {
    const pick = turn.rules.options.picker.pick(waiter.request, free)
    const target = targets[free.indexOf(pick.chosen)]
    if (target === undefined) throw new Error('the picker chose an endpoint that it was not given')
    return { type: 'grant', target, reason: pick.reason }
  }
  return held === undefined ? undefined : { type: 'wait', cause: heldFor(held), need: undefined }
}

const startOrWait = (turn: Turn, policy: ModelPolicy, waiter: Waiter): Decision => {
  const route = routeToStart(turn, policy)
  if (route.type === 'impossible') return { type: 'reject', failure: route.failure }
  if (route.type === 'start') {
    const claimed = claimOnSwap(turn, waiter, route)
    if (claimed !== undefined) return { type: 'wait', cause: heldFor(claimed.request), need: route }
    return { type: 'swap', target: route.target, evict: route.evict }
  }
  const need = route.target === undefined ? undefined : { target: route.target, evict: route.evict }
  return { type: 'wait', cause: route.cause, need }
}

const notLoaded = (policy: ModelPolicy): Failure => ({
  code: 'model_not_loaded',
  message: `model ${policy.id} is not loaded, and the request forbids loading it`,
  hint: `load it first: lswap load ${policy.id}`,
})
