import type { Failure } from '../../errors/failure.ts'
import { notConfigured } from '../act/reject.ts'
import { swapAt } from '../act/swap.ts'
import type { ModelPolicy } from '../options.ts'
import type { Lane } from '../policy.ts'
import { routeToStart } from '../rules/route.ts'
import { routesToExtend } from '../rules/scale-out.ts'
import type { WaitCause } from '../scheduler.ts'
import type { PlacementState } from '../state/placement.ts'
import type { SwapState } from '../state/state.ts'
import { placementsOf, type Turn } from '../turn.ts'
import { claimOnSwap, type Contender, type Need } from './claims.ts'
import { heldFor, useReady, type NotNow, type Use } from './ready.ts'

/** What can be done for one waiter now. */
export type Decision =
  | Exclude<Use, NotNow>
  | ({ readonly type: 'join'; readonly swap: SwapState } & Blocking)
  | { readonly type: 'swap'; readonly target: PlacementState; readonly evict: readonly PlacementState[] }
  | ({ readonly type: 'wait' } & Blocking)

interface Blocking {
  readonly cause: WaitCause
  /** What it waits for, on each host where it does. */
  readonly needs: readonly Need[]
  /** Who of its model is not stopped by what stops it. */
  readonly passes: readonly Lane[]
}

const NOBODY: readonly Lane[] = []
const NOTHING: readonly Need[] = []

/** What to do for one waiter: grant it, join its load, start one more replica, wait for a slot, or start the first. */
export const decide = (turn: Turn, contender: Contender): Decision => {
  const { waiter } = contender
  const model = turn.rules.models.get(waiter.request.model)
  if (model === undefined) return { type: 'reject', failure: notConfigured(waiter.request.model) }
  const placements = placementsOf(turn, model)
  const use = useReady(turn, model, { placements, contender })
  if (use !== undefined && use.type !== 'not-now') return use
  const { needs = NOTHING, passes = NOBODY } = use ?? {}
  for (const target of placements) {
    const swap = swapAt(turn.state, target)
    if (swap === undefined || swap.aborting || target.leaving !== undefined) continue
    const cause: WaitCause = { type: 'loading', placement: target.placement, sinceMs: swap.startedAt }
    return { type: 'join', swap, cause, needs, passes }
  }
  if (use !== undefined) {
    const further = waiter.request.noLoad ? undefined : extend(turn, model, { contender, use })
    return further ?? { ...use, type: 'wait' }
  }
  if (waiter.request.noLoad) return { type: 'reject', failure: notLoaded(model) }
  return startOrWait(turn, model, contender)
}

/** One more replica, on the first of the hosts in question where no claim stands before it. */
const extend = (
  turn: Turn,
  model: ModelPolicy,
  { contender, use }: { contender: Contender; use: NotNow },
): Decision | undefined => {
  for (const need of routesToExtend(turn, model, use.cause)) {
    if (claimOnSwap(turn, contender, need) === undefined) return { type: 'swap', ...need }
  }
  return undefined
}

const startOrWait = (turn: Turn, model: ModelPolicy, contender: Contender): Decision => {
  const route = routeToStart(turn, model)
  if (route.type === 'impossible') return { type: 'reject', failure: route.failure }
  if (route.type === 'start') {
    const claimed = claimOnSwap(turn, contender, route)
    if (claimed !== undefined) return waitFor(heldFor(claimed.request), [route])
    return { type: 'swap', target: route.target, evict: route.evict }
  }
  return waitFor(route.cause, route.target === undefined ? NOTHING : [{ target: route.target, evict: route.evict }])
}

const waitFor = (cause: WaitCause, needs: readonly Need[]): Decision => ({ type: 'wait', cause, needs, passes: NOBODY })

const notLoaded = ({ id }: ModelPolicy): Failure => ({
  code: 'model_not_loaded',
  message: `model ${id} is not loaded, and the request forbids loading it`,
  hint: `load it first: lswap load ${id}`,
})
