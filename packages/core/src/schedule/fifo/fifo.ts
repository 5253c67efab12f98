import type { ModelId } from '../../ids.ts'
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
 * Throughput: batches by model, in order of model priority, request priority and arrival. Overdue requests come first, by
 * arrival, and keep what they need from all who came later.
 */
export const fifo: Policy = {
  arrivalOf: ({ now }) => now,
  rankOf: (_turn, request) => request.priority,
  headOf: (turn, model, lane) =>
    (lane === 'any' ? overdueOf(turn, model) : undefined) ?? firstInLane(turn.state.room.queueOf(model), lane),
  placeOf: (turn, waiter) => {
    const { arrival, rank, request } = waiter
    if (isOverdue(turn, waiter)) return [1, -arrival, 0, 0]
    return [0, turn.rules.models.get(request.model)?.priority ?? 0, rank, -arrival]
  },
  strengthOf: (_turn, waiter) => -waiter.arrival,
  keeps: (turn, waiter) => isOverdue(turn, waiter),
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
