import type { ModelId } from '../../ids.ts'
import { ranksBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** A request that waited `fairAfterMs` comes before everybody who is not overdue. */
export const isOverdue = (turn: Turn, waiter: Waiter): boolean =>
  turn.now >= waiter.receivedAt + turn.rules.options.policy.fairAfterMs

/** The oldest waiter of a model when it is overdue. */
export const overdueOf = (turn: Turn, model: ModelId): Waiter | undefined => {
  const oldest = turn.state.room.oldestOf(model)
  return oldest !== undefined && isOverdue(turn, oldest) ? oldest : undefined
}

export type Lane = 'any' | 'slotless'

/** Who goes next inside a model: the oldest when overdue, else by request priority, then arrival. */
export const headOf = (turn: Turn, model: ModelId, lane: Lane): Waiter | undefined => {
  const queue = turn.state.room.queueOf(model)
  if (queue === undefined) return undefined
  const slotless = queue.slotless.head()
  if (lane === 'slotless') return slotless
  const oldest = queue.byArrival.head()
  if (oldest !== undefined && isOverdue(turn, oldest)) return oldest
  const slotted = queue.slotted.head()
  if (slotted === undefined || slotless === undefined) return slotted ?? slotless
  return ranksBefore(slotless, slotted) ? slotless : slotted
}

/** One model in a walk, with the waiter that decides its place. */
export interface Turnstile {
  readonly model: ModelId
  readonly head: Waiter
  readonly overdue: boolean
  readonly modelPriority: number
}

/** Overdue ones first, by arrival; then model priority, request priority, arrival. */
const compareTurnstiles = (a: Turnstile, b: Turnstile): number => {
  if (a.overdue !== b.overdue) return a.overdue ? -1 : 1
  if (!a.overdue) {
    if (a.modelPriority !== b.modelPriority) return b.modelPriority - a.modelPriority
    if (a.head.rank !== b.head.rank) return b.head.rank - a.head.rank
  }
  return a.head.arrival - b.head.arrival
}

/** Every model with waiters, in the order in which FIFO looks at them. */
export const walkOrder = (turn: Turn): Turnstile[] => {
  const order: Turnstile[] = []
  for (const model of turn.state.room.models()) {
    const head = headOf(turn, model, 'any')
    if (head === undefined) continue
    const modelPriority = turn.rules.models.get(model)?.priority ?? 0
    order.push({ model, head, overdue: isOverdue(turn, head), modelPriority })
  }
  return order.toSorted(compareTurnstiles)
}
