import type { ModelId } from '../../ids.ts'
import { grant } from '../act/grant.ts'
import { reject } from '../act/reject.ts'
import { joinSwap, startSwap } from '../act/swap.ts'
import type { Lane, Policy } from '../policy.ts'
import { logOf } from '../state/state.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { claim } from './claims.ts'
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
    if (outcome === 'served') continue
    if (outcome === undefined) logOf(turn.state, model).unblock()
    else block(turn, policy, outcome)
    if (outcome !== undefined && isFull(outcome)) {
      while (serveHead(turn, policy, { model, lane: 'slotless' }) === 'served');
    }
    return
  }
}

/** Serves the head of a model, or says why it waits; undefined: nobody is in the lane. */
export const serveHead = (
  turn: Turn,
  policy: Policy,
  { model, lane }: { model: ModelId; lane: Lane },
): Blocked | 'served' | undefined => {
  const waiter = policy.headOf(turn, model, lane)
  if (waiter === undefined) return undefined
  const decision = decide(turn, policy, waiter)
  switch (decision.type) {
    case 'grant':
      policy.note(turn, waiter)
      grant(turn, waiter, decision)
      return 'served'
    case 'reject':
      reject(turn, waiter, decision.failure)
      return 'served'
    case 'swap':
      policy.note(turn, waiter)
      // The next round finds the load running and joins it.
      startSwap(turn, { target: decision.target, evict: decision.evict, afterOutOfMemory: false })
      return 'served'
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
  if (decision.type === 'join') return joinSwap(turn, waiter, decision.swap)
  const { need, cause } = decision
  if (need !== undefined) {
    // The drain limit runs from the first wait for a serving model.
    if (cause.type === 'draining') for (const victim of need.evict) drain(turn, victim)
    if (policy.keeps(turn, waiter, cause)) claim(turn, policy, { waiter, need })
  }
}

/** Full slots stop the head, and not those that take none. */
export const isFull = ({ decision }: Blocked): boolean => decision.cause.type === 'slots-full'

const drain = (turn: Turn, victim: PlacementState): void => {
  if (!isServing(victim)) return
  victim.drainingSince ??= turn.now
  turn.draining.add(victim.key)
}
