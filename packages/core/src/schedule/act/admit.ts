import type { ModelId } from '../../ids.ts'
import type { Waiter } from '../state/waiter.ts'
import { placementsOf, type Turn } from '../turn.ts'
import { joinSwap, swapAt } from './swap.ts'

/** It waits outside the order until its caller has ended one. */
export const park = ({ now }: Turn, { request: { callerLimit }, steps }: Waiter): void => {
  if (callerLimit !== undefined)
    steps.push({ at: now, type: 'blocked', cause: { type: 'caller-cap', limit: callerLimit } })
}

const NOBODY: readonly ModelId[] = []

/** Lets parked requests into the order whose callers have ended one; answers their models. */
export const admitParked = (turn: Turn): readonly ModelId[] => {
  const { room } = turn.state
  let next = room.callers.nextFreed()
  if (next === undefined) return NOBODY
  const models = new Set<ModelId>()
  for (; next !== undefined; next = room.callers.nextFreed()) {
    const { model } = next.request
    const admitted: Waiter = { ...next, parked: false, waiting: true }
    admitted.steps.push({ at: turn.now, type: 'queued', ahead: room.queueOf(model)?.byArrival.depth ?? 0 })
    room.replace(next, admitted)
    joinLoad(turn, admitted)
    models.add(model)
  }
  return [...models]
}

/** A waiter whose model is loading takes part in that load. */
export const joinLoad = (turn: Turn, waiter: Waiter): void => {
  const policy = turn.rules.models.get(waiter.request.model)
  if (policy === undefined) return
  for (const target of placementsOf(turn, policy)) {
    const swap = swapAt(turn.state, target)
    if (swap !== undefined && !swap.aborting && target.leaving === undefined) return joinSwap(turn, waiter, swap)
  }
}
