import { isConfigured, type Turn } from '../turn.ts'
import { stop } from './stop.ts'

/** A process that the configuration does not know, or not on its host, drains and stops. */
export const stopRemoved = (turn: Turn): void => {
  const { state, rules } = turn
  const { drainTimeoutMs } = rules.options.limits
  const removed = [...state.placements.values()].filter(
    (target) =>
      target.process.phase !== 'stopped' && target.leaving === undefined && !isConfigured(turn, target.placement),
  )
  stop(turn, { targets: removed, drainMs: drainTimeoutMs === 'never' ? Infinity : drainTimeoutMs, reason: 'removed' })
}
