import type { ModelPolicy } from '../options.ts'
import type { WaitCause } from '../scheduler.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import { placementsOf, type Turn } from '../turn.ts'
import { loadEstimateMs, slotsRunning } from './estimate.ts'
import { clearedOrWaiting, considerHost, isCheaper, type Candidate } from './route.ts'

/**
 * Where one more replica may be started at once, the cheapest host first. It is worth a load when the queue would take
 * longer than that; and where all ready replicas are held for others in any case, as it will have to load again anyhow.
 */
export const routesToExtend = (turn: Turn, policy: ModelPolicy, cause: WaitCause): Candidate[] => {
  if (policy.hosts.length < 2) return []
  const queueMs = cause.type === 'held-for' ? Infinity : queueEstimateMs(turn, policy)
  if (queueMs === undefined) return []
  const found: Candidate[] = []
  for (const target of placementsOf(turn, policy)) {
    if (target.process.phase !== 'stopped' || !isWorthwhile(turn, target, queueMs)) continue
    const candidate = considerHost(turn, policy, target)
    if (candidate === undefined || 'type' in candidate || !takesFromNobody(turn, candidate)) continue
    if (!isWantedByCold(turn, target)) found.push(candidate)
  }
  return found.toSorted((a, b) => (isCheaper(turn, a, b) ? -1 : 1))
}

/** How long those who wait keep the replicas busy that run or load; undefined: nothing was measured. */
const queueEstimateMs = (turn: Turn, policy: ModelPolicy): number | undefined => {
  const { measures, room } = turn.state
  const service = measures.median('service', policy.id)
  if (service === undefined) return undefined
  return ((room.queueOf(policy.id)?.slotted.depth ?? 0) * service) / slotsRunning(turn, policy)
}

const isWorthwhile = (turn: Turn, target: PlacementState, queueMs: number): boolean => {
  if (queueMs === Infinity) return true
  const loadMs = loadEstimateMs(turn, target)
  return loadMs !== undefined && queueMs > loadMs
}

/** One more replica is no reason to make anybody wait: what must go is idle and nobody asks for it. */
const takesFromNobody = (turn: Turn, candidate: Candidate): boolean =>
  candidate.evict.every((victim) => turn.state.room.depthOf(victim.placement.model) === 0) &&
  clearedOrWaiting(turn, candidate).type === 'start'

/** A model that is nowhere yet comes before the second replica of another. */
const isWantedByCold = (turn: Turn, { placement }: PlacementState): boolean => {
  for (const model of turn.state.room.models()) {
    const policy = turn.rules.models.get(model)
    if (model === placement.model || policy?.hosts.includes(placement.host) !== true) continue
    if (!placementsOf(turn, policy).some((other) => isOpen(other) || other.process.phase === 'loading')) return true
  }
  return false
}
