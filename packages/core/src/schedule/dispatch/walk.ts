import type { ModelId, RequestId } from '../../ids.ts'
import type { Lane, Place, Policy } from '../policy.ts'
import { Heap } from '../state/heap.ts'
import type { Turn } from '../turn.ts'
import { block, isFull, serveHead } from './serve.ts'

interface Turnstile {
  readonly model: ModelId
  readonly lane: Lane
  readonly place: Place
}

const comesBefore = (a: Place, b: Place): boolean => {
  for (let at = 0; at < a.length; at += 1) {
    const [left, right] = [a[at] as number, b[at] as number]
    if (left !== right) return left > right
  }
  return false
}

/**
 * Looks at the heads of all models, best first, and does what can be done for each before the next: whoever must wait
 * has claimed what it needs by then.
 */
export const walk = (turn: Turn, policy: Policy): void => {
  turn.state.claims = []
  const next = new Heap<Turnstile>((a, b) => comesBefore(a.place, b.place))
  const queue = (model: ModelId, lane: Lane): void => {
    const head = policy.headOf(turn, model, lane)
    if (head !== undefined) next.push({ model, lane, place: policy.placeOf(turn, head) })
  }
  for (const model of turn.state.room.models()) queue(model, 'any')
  for (let best = next.pop(); best !== undefined; best = next.pop()) {
    const outcome = serveHead(turn, policy, best)
    if (outcome === 'served') queue(best.model, best.lane)
    else if (outcome !== undefined && best.lane === 'any') {
      block(turn, policy, outcome)
      if (isFull(outcome)) queue(best.model, 'slotless')
    }
  }
  for (const [model, log] of turn.state.logs) if (turn.state.room.depthOf(model) === 0) log.unblock()
  // A drain that nobody waits for any more is no decision to evict: its limit starts anew next time.
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) if (!turn.draining.has(target.key)) target.drainingSince = undefined
  }
}

/** Place in the order of dispatch, 1 first. Reads all waiters: for people, not for decisions. */
export const positionOf = (turn: Turn, policy: Policy, request: RequestId): number | undefined => {
  const waiter = turn.state.room.get(request)
  if (waiter === undefined) return undefined
  const place = policy.placeOf(turn, waiter)
  let ahead = 0
  for (const other of turn.state.room.waiters()) if (comesBefore(policy.placeOf(turn, other), place)) ahead += 1
  return ahead + 1
}
