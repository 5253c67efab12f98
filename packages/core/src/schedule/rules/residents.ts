import type { ModelSize } from '../../evict/memory/sizes.ts'
import type { EvictPlan, Resident } from '../../evict/swapper.ts'
import { isServing, livesOn, type PlacementState } from '../state/placement.ts'
import { residentsOn, type Claim } from '../state/state.ts'
import { isPinned } from './pins.ts'
import type { Turn } from '../turn.ts'

/** Pinned or not, nobody keeps it: it is on its way out, or would not end. */
const isGoing = ({ process }: PlacementState): boolean => process.phase === 'changing' || process.phase === 'stuck'

const residentOf = (turn: Turn, target: PlacementState): Resident => ({
  model: target.placement.model,
  pinned: !isGoing(target) && isPinned(turn, target.placement.model),
  inFlight: target.inFlight + target.holding,
  idleSince: livesOn(target) && !isServing(target) ? target.idleSince : undefined,
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
  return turn.rules.options.swapper.plan({
    now: turn.now,
    target: model,
    host,
    residents,
    memory: turn.state.memory.get(host),
  })
}

/** A swap that somebody wants: what it starts, and what goes for it. */
interface Move {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
}

/**
 * Whether a model that is loaded now would be in the way of one that comes first: with what that evicts gone, and with
 * the new one there, something would have to go once more.
 */
export const standsInTheWay = (turn: Turn, move: Move, first: Claim): boolean => {
  const { model, host } = first
  const goes = new Set([...first.keys, ...move.evict.map((victim) => victim.key)])
  const stays = residentsOn(turn.state, host).filter((other) => other !== move.target && !goes.has(other.key))
  const loaded = { ...residentOf(turn, move.target), idleSince: turn.now, inFlight: 0, loading: false, drainMs: 0 }
  const residents = [...stays.map((other) => residentOf(turn, other)), loaded]
  residents.sort((a, b) => (a.model < b.model ? -1 : 1))
  const memory = turn.state.memory.get(host)
  const plan = turn.rules.options.swapper.plan({ now: turn.now, target: model, host, residents, memory })
  return plan.type === 'impossible' || plan.models.length > 0
}

/** What the model is taken to need there; undefined: nobody knows, or nothing depends on it. */
export const sizeOf = ({ rules, state }: Turn, { placement }: PlacementState): ModelSize | undefined =>
  rules.options.swapper.sizeOf?.(placement.model, placement.host, state.memory.get(placement.host))
