import { isOpen, isServing, type PlacementState } from '../state/placement.ts'
import { residentsOn } from '../state/state.ts'
import { isPinned } from './pins.ts'
import type { Turn } from '../turn.ts'

/** Who goes next when the engine ran out of memory all the same: the model on the host that was unused the longest. */
export const nextVictim = (turn: Turn, target: PlacementState): PlacementState | undefined => {
  let victim: PlacementState | undefined
  for (const other of residentsOn(turn.state, target.placement.host)) {
    if (other === target || !isOpen(other) || isServing(other)) continue
    if (isPinned(turn, other.placement.model)) continue
    if (turn.state.room.depthOf(other.placement.model) > 0) continue
    if (victim === undefined || other.idleSince < victim.idleSince) victim = other
  }
  return victim
}
