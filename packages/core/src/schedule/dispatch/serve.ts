import type { ModelId } from '../../ids.ts'
import { grant } from '../act/grant.ts'
import { reject } from '../act/reject.ts'
import { joinSwap, startSwap } from '../act/swap.ts'
import type { Lane, Policy } from '../policy.ts'
import { logOf } from '../state/state.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { claim, claimOnSwap, type Contender } from './claims.ts'
import { decide, type Decision } from './decide.ts'

export interface Blocked {
  readonly contender: Contender
  readonly decision: Extract<Decision, { type: 'wait' | 'join' }>
}

/** Serves the heads of one model until one must wait. Claims of the others stay as the last walk left them. */
export const serveModel = (turn: Turn, policy: Policy, model: ModelId): void => {
  if (turn.state.claims.length > 0) turn.state.claims = turn.state.claims.filter((made) => made.model !== model)
  for (;;) {
    const head = policy.headOf(turn, model, 'any')
    if (head === undefined) return logOf(turn.state, model).unblock()
    const outcome = serve(turn, policy, head)
    if (outcome === 'served' || outcome === 'swapped') continue
    block(turn, policy, outcome)
    for (const lane of outcome.decision.passes) serveLane(turn, policy, { model, lane })
    return
  }
}

const serveLane = (turn: Turn, policy: Policy, { model, lane }: { model: ModelId; lane: Lane }): void => {
  for (;;) {
    const head = policy.headOf(turn, model, lane)
    if (head === undefined || serve(turn, policy, head) !== 'served') return
  }
}

/** Serves a head, or starts a swap for it, or says why it waits. */
export const serve = (turn: Turn, policy: Policy, waiter: Waiter): Blocked | 'served' | 'swapped' => {
  const contender: Contender = { waiter, strength: policy.strengthOf(turn, waiter) }
  const decision = decide(turn, contender)
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
      return { contender, decision }
    default:
      return decision satisfies never
  }
}

/** Notes why a model's head waits, and keeps what it needs. */
export const block = (turn: Turn, policy: Policy, { contender, decision }: Blocked): void => {
  const { waiter } = contender
  const { model } = waiter.request
  logOf(turn.state, model).block(turn.now, decision.cause)
  if (decision.type === 'join') joinSwap(turn, waiter, decision.swap)
  const { needs, cause } = decision
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
