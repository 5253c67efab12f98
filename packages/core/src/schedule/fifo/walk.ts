import type { ModelId } from '../../ids.ts'
import { grant } from '../act/grant.ts'
import { reject } from '../act/reject.ts'
import { joinSwap, startSwap } from '../act/swap.ts'
import type { ModelPolicy } from '../options.ts'
import { Heap } from '../state/heap.ts'
import { isServing } from '../state/placement.ts'
import { logOf } from '../state/state.ts'
import { arrivedBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { claim } from './claims.ts'
import { decide, type Decision } from './decide.ts'
import { headOf, isOverdue, overdueOf, walkOrder, type Lane } from './order.ts'

/** Looks at every model with waiters, heads only, and does what can be done. */
export const walk = (turn: Turn): void => {
  turn.state.claims = []
  const wanted = new Set<string>()
  serveOverdue(turn, wanted)
  for (const { model } of walkOrder(turn)) serveModel(turn, model, wanted)
  // A drain that nobody waits for any more is no decision to evict: its limit starts anew next time.
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) if (!wanted.has(target.key)) target.drainingSince = undefined
  }
}

/** One by one in order of arrival, so that each has claimed what it needs before any later arrival is looked at. */
const serveOverdue = (turn: Turn, wanted: Set<string>): void => {
  const line = new Heap(arrivedBefore)
  for (const model of turn.state.room.models()) {
    const overdue = overdueOf(turn, model)
    if (overdue !== undefined) line.push(overdue)
  }
  for (let first = line.pop(); first !== undefined; first = line.pop()) {
    const policy = turn.rules.models.get(first.request.model)
    if (policy === undefined) continue
    const outcome = serveHead(turn, policy, 'any')
    if (outcome === 'served') {
      const next = overdueOf(turn, policy.id)
      if (next !== undefined) line.push(next)
    } else if (outcome !== undefined) waitFor(turn, outcome, wanted)
  }
}

/** Serves the heads of one model until one must wait. */
export const serveModel = (turn: Turn, model: ModelId, wanted = new Set<string>()): void => {
  const policy = turn.rules.models.get(model)
  if (policy === undefined) return
  if (turn.state.claims.length > 0) turn.state.claims = turn.state.claims.filter((made) => made.model !== model)
  const blocked = serveLane(turn, policy, 'any')
  if (blocked === undefined) {
    logOf(turn.state, model).unblock()
    return
  }
  const { waiter, decision } = blocked
  logOf(turn.state, model).block(turn.now, decision.cause)
  if (decision.type === 'join') {
    joinSwap(turn, waiter, decision.swap)
    return
  }
  waitFor(turn, blocked, wanted)
  if (decision.cause.type === 'slots-full') serveLane(turn, policy, 'slotless')
}

interface Blocked {
  readonly waiter: Waiter
  readonly decision: Extract<Decision, { type: 'wait' | 'join' }>
}

const serveLane = (turn: Turn, policy: ModelPolicy, lane: Lane): Blocked | undefined => {
  for (;;) {
    const outcome = serveHead(turn, policy, lane)
    if (outcome !== 'served') return outcome
  }
}

const serveHead = (turn: Turn, policy: ModelPolicy, lane: Lane): Blocked | 'served' | undefined => {
  const waiter = headOf(turn, policy.id, lane)
  if (waiter === undefined) return undefined
  const decision = decide(turn, policy, waiter)
  switch (decision.type) {
    case 'grant':
      grant(turn, waiter, decision.target, decision.reason)
      return 'served'
    case 'reject':
      reject(turn, waiter, decision.failure)
      return 'served'
    case 'swap':
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

/** The drain limit runs from the first wait for a serving model; an overdue waiter also keeps others away. */
const waitFor = (turn: Turn, { waiter, decision }: Blocked, wanted: Set<string>): void => {
  if (decision.type === 'join' || decision.need === undefined) return
  const { need } = decision
  if (decision.cause.type === 'draining') {
    for (const victim of need.evict) {
      if (!isServing(victim)) continue
      victim.drainingSince ??= turn.now
      wanted.add(victim.key)
    }
  }
  if (isOverdue(turn, waiter)) claim(turn, waiter, need)
}
