import type { ModelId } from '../../ids.ts'
import { grant } from '../act/grant.ts'
import { reject } from '../act/reject.ts'
import { joinSwap, startSwap } from '../act/swap.ts'
import type { Lane, Policy } from '../policy.ts'
import { logOf } from '../state/state.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { claim, claimOnSwap } from './claims.ts'
import { decide, type Decision } from './decide.ts'

export interface Blocked {
  readonly waiter: Waiter
  readonly decision: Extract<Decision, { type: 'wait' | 'join' }>
}

/** Serves the heads of one model until one must wait. Claims of the others stay as the last walk left them. */
export const serveModel = (turn: Turn, policy: Policy, model: ModelId): void => {
  if (turn.state.claims.length > 0) turn.state.claims = turn.state.claims.filter((made) => made.model !== model)
  for (;;) {
    const outcome = serveHead(turn, policy, { model, lane: 'any' })
    if (outcome === 'served' || outcome === 'swapped') continue
    if (outcome === undefined) logOf(turn.state, model).unblock()
    else block(turn, policy, outcome)
    for (const lane of outcome?.decision.passes ?? []) while (serveHead(turn, policy, { model, lane }) === 'served');
    return
  }
}

/** Serves the head of a model, or starts a swap for it, or says why it waits; undefined: nobody is in the lane. */
export const serveHead = (
  turn: Turn,
  policy: Policy,
  { model, lane }: { model: ModelId; lane: Lane },
): Blocked | 'served' | 'swapped' | undefined => {
  const waiter = policy.headOf(turn, model, lane)
  if (waiter === undefined) return undefined
  const decision = decide(turn, policy, waiter)
  switch (decision.type) {
    case 'grant':
      policy.note(turn, waiter)
      if (policy.renewsDrains && !decision.backfilled) renewDrain(turn, decision.target)
      grant(turn, waiter, decision)
      return 'served'
    case 'reject':
      reject(turn, waiter, decision.failure)
      return 'served'
    case 'swap':
      policy.note(turn, waiter)
      // The next round finds the load running and joins it.
      startSwap(turn, { target: decision.target, evict: decision.evict, afterOutOfMemory: false })
      return 'swapped'
    case 'join':
    case 'wait':
      return { waiter, decision }
    default:
      return decision satisfies never
  }
}

/** Notes why a model's head waits, and keeps what it needs. */
export const block = (turn: Turn, policy: Policy, { waiter, decision }: Blocked): void => {
  const { model } = waiter.request
  logOf(turn.state, model).block(turn.now, decision.cause)
  if (decision.type === 'join') joinSwap(turn, waiter, decision.swap)
  const { needs, cause } = decision
  const contender = { waiter, strength: policy.strengthOf(turn, waiter) }
  for (const need of needs) {
    // The drain limit runs from the decision to evict: not while somebody who comes first still wants what must go.
    if (cause.type === 'draining' && claimOnSwap(turn, contender, need) === undefined) {
      for (const victim of need.evict) drain(turn, victim)
    }
    if (policy.keeps(turn, waiter, cause)) claim(turn, contender, need)
  }
}

const renewDrain = (turn: Turn, target: PlacementState): void => {
  if (target.drainingSince !== undefined) target.drainingSince = turn.now
}

const drain = (turn: Turn, victim: PlacementState): void => {
  if (!isServing(victim)) return
  victim.drainingSince ??= turn.now
  turn.draining ??= new Set()
  turn.draining.add(victim.key)
}
