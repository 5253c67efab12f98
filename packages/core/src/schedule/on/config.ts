import { rejectAllOf } from '../act/reject.ts'
import { stop } from '../act/stop.ts'
import type { Policy } from '../policy.ts'
import type { Turn } from '../turn.ts'

/** A model that left the configuration drains and stops; the rest goes on. */
export const onConfig = (turn: Turn, policy: Policy): void => {
  const { state, rules } = turn
  state.unpinned.clear()
  for (const model of state.room.models().toSorted()) {
    if (rules.models.has(model)) continue
    rejectAllOf(turn, model, { code: 'model_not_found', message: `model ${model} is no longer configured` })
  }
  const { drainTimeoutMs } = rules.options.limits
  const removed = [...state.placements.values()].filter(
    (target) =>
      target.process.phase !== 'stopped' &&
      target.leaving === undefined &&
      rules.models.get(target.placement.model)?.hosts.includes(target.placement.host) !== true,
  )
  stop(turn, { targets: removed, drainMs: drainTimeoutMs === 'never' ? Infinity : drainTimeoutMs, reason: 'removed' })
  policy.walk(turn)
}
