import type { EvictPlan, Resident } from '../../evict/swapper.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import { residentsOn } from '../state/state.ts'
import { isPinned } from './pins.ts'
import type { Turn } from '../turn.ts'

const residentOf = (turn: Turn, target: PlacementState): Resident => ({
  model: target.placement.model,
  pinned: isPinned(turn, target.placement.model),
  inFlight: target.inFlight + target.holding,
  idleSince: target.process.phase === 'ready' && !isServing(target) ? target.idleSince : undefined,
  loading: target.process.phase === 'loading',
  reloadMs: turn.state.measures.median('load', target.key),
  drainMs: isServing(target) ? (turn.state.measures.median('service', target.placement.model) ?? 0) : 0,
})

/** Asks the swapper what must go before `target` can serve. */
export const evictPlan = (turn: Turn, target: PlacementState): EvictPlan => {
  const { model, host } = target.placement
  const residents: Resident[] = []
  for (const other of residentsOn(turn.state, host)) {
    if (other !== target) residents.push(residentOf(turn, other))
  }
  return turn.rules.options.swapper.plan({ now: turn.now, target: model, host, residents })
}

/** Whether `mover`, once loaded, would have to go again for `target`. */
export const wouldBeEvicted = (turn: Turn, mover: PlacementState, target: PlacementState): boolean => {
  const { model, host } = target.placement
  const resident = { ...residentOf(turn, mover), idleSince: turn.now, inFlight: 0, loading: false, drainMs: 0 }
  const plan = turn.rules.options.swapper.plan({ now: turn.now, target: model, host, residents: [resident] })
  return plan.type === 'evict' && plan.models.includes(mover.placement.model)
}
