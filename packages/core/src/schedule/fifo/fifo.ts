import type { ModelId } from '../../ids.ts'
import { isAtHand } from '../rules/at-hand.ts'
import type { Policy } from '../policy.ts'
import { firstInLane } from '../dispatch/lane.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

const fairAfterMs = ({ rules }: Turn): number => {
  const { policy } = rules.options
  return policy.use === 'fifo' ? policy.fairAfterMs : Infinity
}

/** A request that waited `fairAfterMs` comes before everybody who is not overdue. */
const isOverdue = (turn: Turn, waiter: Waiter): boolean => turn.now >= waiter.receivedAt + fairAfterMs(turn)

const overdueOf = (turn: Turn, model: ModelId): Waiter | undefined => {
  const oldest = turn.state.room.oldestOf(model)
  return oldest !== undefined && isOverdue(turn, oldest) ? oldest : undefined
}

/**
 * Throughput: in order of model priority and request priority; of equal ones those whose model is loaded, so that requests
 * for one model are served together; then by arrival. Overdue requests come first, by
 * arrival, and keep what they need from all who came later.
 */
export const fifo: Policy = {
  arrivalOf: ({ now }) => now,
  rankOf: (_turn, request) => request.priority,
  headOf: (turn, model, lane) =>
    (lane === 'any' ? overdueOf(turn, model) : undefined) ?? firstInLane(turn.state.room.queueOf(model), lane),
  placeOf: (turn, waiter) => {
    const { arrival, rank, request } = waiter
    if (isOverdue(turn, waiter)) return [1, -arrival, 0, 0, 0]
    const model = turn.rules.models.get(request.model)
    // Of equal priorities who needs no swap goes first, or a model with one slot would be swapped out after each request.
    const atHand = model !== undefined && isAtHand(turn, model) ? 1 : 0
    return [0, model?.priority ?? 0, rank, atHand, -arrival]
  },
  strengthOf: (_turn, waiter) => -waiter.arrival,
  keeps: (turn, waiter) => isOverdue(turn, waiter),
  // Until somebody is overdue a model goes on being fed, and its drain must end all the same.
  renewsDrains: false,
  note: () => {},
  nextChange: (turn) => {
    let next: number | undefined
    for (const model of turn.state.room.models()) {
      const oldest = turn.state.room.oldestOf(model)
      if (oldest === undefined) continue
      const overdueAt = oldest.receivedAt + fairAfterMs(turn)
      if (overdueAt > turn.now && (next === undefined || overdueAt < next)) next = overdueAt
    }
    return next
  },
}
