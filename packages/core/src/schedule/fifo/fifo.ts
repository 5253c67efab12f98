import type { Policy } from '../policy.ts'
import { positionOf } from './position.ts'
import { serveModel, walk } from './walk.ts'

/** Throughput: batches by model, in order of model priority, request priority and arrival; nobody waits for ever. */
export const fifo: Policy = {
  rankOf: (_turn, request) => request.priority,
  walk,
  serveModel: (turn, model) => serveModel(turn, model),
  positionOf,
  nextChange: (turn) => {
    let next: number | undefined
    for (const model of turn.state.room.models()) {
      const oldest = turn.state.room.oldestOf(model)
      if (oldest === undefined) continue
      const overdueAt = oldest.receivedAt + turn.rules.options.policy.fairAfterMs
      if (overdueAt > turn.now && (next === undefined || overdueAt < next)) next = overdueAt
    }
    return next
  },
}
