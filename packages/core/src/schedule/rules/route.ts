import type { Failure } from '../../errors/failure.ts'
import { sizeText } from '../../evict/memory/sizes.ts'
import { isAbandoned, placementsAt, swapAt } from '../act/swap.ts'
import type { ModelPolicy } from '../options.ts'
import type { WaitCause } from '../scheduler.ts'
import { isServing, type PlacementState } from '../state/placement.ts'
import type { State, SwapState } from '../state/state.ts'
import { placementsOf, isHostUp, type Turn } from '../turn.ts'
import { coolingDown } from './cooldown.ts'
import { isDrainOver } from './drain.ts'
import { startEstimateMs } from './estimate.ts'
import { hopeless } from './hopeless.ts'
import { residencyEnd } from './residency.ts'
import { evictPlan, sizeOf } from './residents.ts'

/** How a model that is nowhere ready could come to serve. */
export type Route =
  | { readonly type: 'start'; readonly target: PlacementState; readonly evict: readonly PlacementState[] }
  | {
      readonly type: 'wait'
      readonly cause: WaitCause
      /** What it needs on its cheapest host. */
      readonly target?: PlacementState
      readonly evict: readonly PlacementState[]
    }
  | { readonly type: 'impossible'; readonly failure: Failure }

/** One host that could start it, with what would have to go. */
export interface Candidate {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
}

/** The cheapest way to start the model among the hosts that may run it; ties go to the first host by id. */
export const routeToStart = (turn: Turn, policy: ModelPolicy): Route => {
  const failure = hopeless(turn, policy)
  if (failure !== undefined) return { type: 'impossible', failure }
  let best: Candidate | undefined
  let refused: Route | undefined
  for (const target of placementsOf(turn, policy)) {
    const answer = considerHost(turn, policy, target)
    if (answer === undefined) continue
    if ('type' in answer) {
      if (refused === undefined || refused.type === 'impossible') refused = answer
      continue
    }
    if (best === undefined || isCheaper(turn, answer, best)) best = answer
  }
  if (best !== undefined) return clearedOrWaiting(turn, best)
  return refused ?? { type: 'wait', cause: { type: 'no-host' }, evict: [] }
}

/** Whether the model would serve sooner there; ties go to the first host by id. */
export const isCheaper = (turn: Turn, a: Candidate, b: Candidate): boolean => {
  const [ours, theirs] = [startEstimateMs(turn, a), startEstimateMs(turn, b)]
  return ours === theirs ? a.target.placement.host < b.target.placement.host : ours < theirs
}

/** What starting the model on one host would take; or why it can not be; undefined: the host is not there. */
export const considerHost = (
  turn: Turn,
  policy: ModelPolicy,
  target: PlacementState,
): Candidate | Route | undefined => {
  if (!isHostUp(turn, target.placement) || turn.state.taken.has(target.placement.host)) return undefined
  const cooldown = coolingDown(turn, policy, target)
  if (cooldown !== undefined) {
    const { placement } = target
    return { type: 'wait', cause: { type: 'cooldown', placement, until: cooldown.until }, evict: [] }
  }
  const plan = evictPlan(turn, target)
  if (plan.type === 'impossible') {
    return { type: 'impossible', failure: { code: 'model_impossible', message: plan.reason } }
  }
  const evict = placementsAt(turn.state, target.placement, plan.models)
  const stuck = stuckAmong([target, ...evict])
  if (stuck !== undefined) return { type: 'wait', cause: stuck, evict: [] }
  return { target, evict }
}

/** The running swap that evicts a process; an unload of it meanwhile changes nothing about that. */
const moverOf = (state: State, { leaving, placement }: PlacementState): SwapState | undefined => {
  if (leaving === undefined) return undefined
  for (const running of state.swaps.values()) {
    const { host, evict } = running.swap
    if (running.aborting || host !== placement.host || !evict.includes(placement.model)) continue
    // One that nobody waits for gives way, like its load.
    if (!isAbandoned(state, running)) return running
  }
  return undefined
}

/** What stands in the way on the chosen host, if anything. */
export const clearedOrWaiting = (turn: Turn, { target, evict }: Candidate): Route => {
  const wait = (cause: WaitCause): Route => ({ type: 'wait', cause, target, evict })
  if (target.leaving !== undefined || target.process.phase !== 'stopped') {
    return wait({ type: 'stopping', placement: target.placement })
  }
  const draining: PlacementState[] = []
  for (const victim of evict) {
    const cause = collision(turn, victim)
    if (cause !== undefined) return wait(cause)
    const until = residencyEnd(turn, victim)
    if (until !== undefined) return wait({ type: 'residency', placement: victim.placement, until })
    if (isServing(victim) && !isDrainOver(turn, victim)) draining.push(victim)
  }
  if (draining.length > 0) {
    const size = sizeOf(turn, target)
    return wait({
      type: 'draining',
      models: draining.map((victim) => victim.placement),
      ...(size === undefined ? {} : { need: sizeText(size) }),
    })
  }
  return { type: 'start', target, evict }
}

/** Nobody knows when a process that would not end does: another host is better, and nothing is kept free meanwhile. */
const stuckAmong = (targets: readonly PlacementState[]): WaitCause | undefined => {
  for (const { placement, process } of targets) {
    if (process.phase === 'stuck') return { type: 'stuck', placement, failure: process.failure }
  }
  return undefined
}

/** A victim that is part of another swap can not be evicted now. */
const collision = (turn: Turn, victim: PlacementState): WaitCause | undefined => {
  const { state } = turn
  const { placement } = victim
  const load = swapAt(state, victim)
  if (load !== undefined && !load.aborting && !isAbandoned(state, load)) {
    return { type: 'swap-running', placement, generation: load.swap.generation }
  }
  const mover = moverOf(state, victim)
  if (mover !== undefined) {
    const { model, host, generation } = mover.swap
    return { type: 'swap-running', placement: { model, host }, generation }
  }
  return undefined
}
