import { definitionOn } from '../rules/definition.ts'
import type { PlacementState } from '../state/placement.ts'
import { isConfigured, type Turn } from '../turn.ts'
import { stop } from './stop.ts'

/**
 * A process that the configuration does not know, or not on its host, drains and stops, and so does one that was started
 * as something else: its waiters wait for the new one.
 */
export const stopOutdated = (turn: Turn): void => {
  const { drainTimeoutMs: drainMs } = turn.rules.options.limits
  const going = [...turn.state.placements.values()].filter(
    (target) => target.process.phase !== 'stopped' && target.leaving === undefined,
  )
  const removed = going.filter((target) => !isConfigured(turn, target.placement))
  const changed = going.filter((target) => isConfigured(turn, target.placement) && isOutdated(turn, target))
  stop(turn, { targets: removed, drainMs, reason: 'removed' })
  stop(turn, { targets: changed, drainMs, reason: 'changed' })
}

/** A load that is watched by rules that are gone would be waited for in vain; a process that is ready passed them. */
const isOutdated = ({ rules }: Turn, { placement, process }: PlacementState): boolean => {
  const policy = rules.models.get(placement.model)
  if (policy === undefined) return false
  const { commandHash, processHash } = definitionOn(policy, placement.host)
  if (process.phase === 'loading') return process.commandHash !== commandHash
  return process.phase === 'ready' && process.processHash !== processHash
}
