import type { ModelId, RequestId } from '../../ids.ts'
import { admitParked } from '../act/admit.ts'
import type { Lane, Policy } from '../policy.ts'
import { Heap, type Order } from '../state/heap.ts'
import type { Turn } from '../turn.ts'
import { comesBefore, placed, standsBefore, type Placed } from './place.ts'
import { block, serve } from './serve.ts'

/** Who is first in a lane of its model. */
interface Head extends Placed {
  readonly lane: Lane
}

const byPlace: Order<Head> = {
  key: ({ place }) => -(place[0] as number),
  before: (a, b) => comesBefore(a.place, b.place),
}
const NOBODY: readonly ModelId[] = []

/**
 * Looks at the heads of all models, best first, and does what can be done for each before the next: whoever must wait
 * has claimed what it needs by then.
 */
export const walk = (turn: Turn, policy: Policy): void => {
  admitParked(turn)
  turn.state.claims = []
  const next = new Heap(byPlace)
  const queue = (model: ModelId, lane: Lane): void => {
    const head = policy.headOf(turn, model, lane)
    if (head !== undefined) next.push({ waiter: head, lane, place: policy.placeOf(turn, head) })
  }
  for (const model of turn.state.room.models()) queue(model, 'any')
  for (let best = next.pop(); best !== undefined; best = next.pop()) {
    const { model } = best.waiter.request
    const outcome = serve(turn, policy, best.waiter)
    if (outcome === 'served' || outcome === 'swapped') queue(model, best.lane)
    else if (best.lane === 'any') {
      block(turn, policy, outcome)
      for (const lane of outcome.decision.passes) queue(model, lane)
    }
    const admitted = outcome === 'served' ? admitParked(turn) : NOBODY
    if (outcome !== 'swapped' && admitted.length === 0) continue
    // What loads now and what goes for it have another place in the order, and so has a model that got a new head.
    turn.state.claims = turn.state.claims.filter((made) => !admitted.includes(made.model))
    for (const { waiter, lane } of next.drain()) {
      if (!admitted.includes(waiter.request.model)) queue(waiter.request.model, lane)
    }
    for (const newcomer of admitted) queue(newcomer, 'any')
  }
  for (const [model, log] of turn.state.logs) if (!turn.state.room.isWanted(model)) log.unblock()
  // A drain that nobody waits for any more is no decision to evict: its limit starts anew next time.
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) if (turn.draining?.has(target.key) !== true) target.drainingSince = undefined
  }
}

/** Place in the order of dispatch, 1 first. Reads all waiters: for people, not for decisions. */
export const positionOf = (turn: Turn, policy: Policy, request: RequestId): number | undefined => {
  const waiter = turn.state.room.get(request)
  if (waiter === undefined) return undefined
  const own = placed(turn, policy, waiter)
  let ahead = 0
  for (const other of turn.state.room.waiters()) if (standsBefore(placed(turn, policy, other), own)) ahead += 1
  return ahead + 1
}
