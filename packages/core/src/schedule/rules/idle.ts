import { isOpen, isServing, type PlacementState } from '../state/placement.ts'
import { isPinned } from './pins.ts'
import type { Turn } from '../turn.ts'

/** When idle unload is due at a placement; undefined: not while things are as they are. */
export const idleAt = (turn: Turn, target: PlacementState): number | undefined => {
  const { state, rules } = turn
  if (!isOpen(target) || isServing(target)) return undefined
  const policy = rules.models.get(target.placement.model)
  // What comes back when nothing else is wanted would be loaded again at once
  if (policy?.idleMs === undefined || policy.restoreMs !== undefined || isPinned(turn, policy.id)) return undefined
  if (state.room.depthOf(policy.id) > 0) return undefined
  return target.idleSince + policy.idleMs
}
