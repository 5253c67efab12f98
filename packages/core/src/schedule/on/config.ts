import { walk } from '../dispatch/walk.ts'
import { notConfigured, rejectAllOf } from '../act/reject.ts'
import { stopRemoved } from '../act/remove.ts'
import { renewPins } from '../rules/pins.ts'
import type { Policy } from '../policy.ts'
import type { Turn } from '../turn.ts'

/** A model that left the configuration drains and stops; the rest goes on. */
export const onConfig = (turn: Turn, policy: Policy): void => {
  const { state, rules } = turn
  renewPins(turn)
  for (const model of [...state.room.models()].toSorted()) {
    if (rules.models.has(model)) continue
    rejectAllOf(turn, model, notConfigured(model))
  }
  rankAnew(turn, policy)
  stopRemoved(turn)
  walk(turn, policy)
}

/** Places under other settings can not be compared with the old ones: everybody gets a new one. */
const rankAnew = (turn: Turn, policy: Policy): void => {
  const { state } = turn
  for (const waiter of Array.from(state.room.waiters())) {
    const rank = policy.rankOf(turn, waiter.request, waiter.countsFrom)
    if (rank === waiter.rank) continue
    state.room.replace(waiter, { ...waiter, rank, waiting: true })
  }
  for (const [id, granted] of state.granted) {
    const { waiter } = granted
    const rank = policy.rankOf(turn, waiter.request, waiter.countsFrom)
    state.granted.set(id, { ...granted, waiter: { ...waiter, rank } })
  }
}
