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
  stopRemoved(turn)
  walk(turn, policy)
}
