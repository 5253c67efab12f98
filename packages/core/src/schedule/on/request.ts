import { walk } from '../dispatch/walk.ts'
import { grantAtOnce } from '../dispatch/at-once.ts'
import { serveModel } from '../dispatch/serve.ts'
import type { Failure } from '../../errors/failure.ts'
import { isOpen } from '../state/placement.ts'
import { joinLoad, park } from '../act/admit.ts'
import { grant } from '../act/grant.ts'
import { ONLY_LOOKS, openReplicaFor } from '../act/passive.ts'
import { isAbandoned } from '../act/swap.ts'
import type { RequestCancelled, RequestReceived } from '../events.ts'
import type { ModelPolicy } from '../options.ts'
import type { Policy } from '../policy.ts'
import type { Request } from '../request.ts'
import { coolingDown } from '../rules/cooldown.ts'
import { retryAfterMs } from '../rules/estimate.ts'
import { isSaturated } from '../state/state.ts'
import { arrivalSteps, newWaiter, type Waiter } from '../state/waiter.ts'
import { isHostUp, placementsOf, type Turn } from '../turn.ts'

/** One request waits for a decision. */
export const onRequest = (turn: Turn, policy: Policy, { request }: RequestReceived): void => {
  const { state } = turn
  const open = openReplicaFor(turn, request)
  if (open !== undefined) return grant(turn, passing(turn, policy, request), { target: open, reason: ONLY_LOOKS })
  if (grantAtOnce(turn, policy, request)) return
  const failure = refusal(turn, request)
  if (failure !== undefined) {
    turn.commands.push({ type: 'reject', request: request.id, failure })
    return
  }
  const countsFrom = policy.arrivalOf(turn, request)
  const rank = policy.rankOf(turn, request, countsFrom)
  const parked = state.room.callers.isAtLimit(request)
  const ahead = state.room.depthOf(request.model)
  const steps = arrivalSteps(turn.now, ahead)
  const waiter: Waiter = { ...newWaiter(turn, request, { countsFrom, rank, steps }), waiting: true, parked }
  state.room.add(waiter)
  if (waiter.parked) return park(turn, waiter)
  serveModel(turn, policy, request.model)
  if (waiter.waiting) joinLoad(turn, waiter)
}

/** It is queued only if it must be tried again. */
const passing = (turn: Turn, policy: Policy, request: Request): Waiter => {
  const rank = policy.rankOf(turn, request, turn.now)
  const steps = arrivalSteps(turn.now, turn.state.room.depthOf(request.model))
  return newWaiter(turn, request, { countsFrom: turn.now, rank, steps })
}

/** What is refused before it is queued. */
const refusal = (turn: Turn, request: Request): Failure | undefined => {
  if (turn.state.closed !== undefined) return turn.state.closed
  const policy = turn.rules.models.get(request.model)
  if (policy === undefined) return { code: 'model_not_found', message: `no model ${request.model} is configured` }
  const placements = placementsOf(turn, policy)
  const ready = placements.some((target) => isOpen(target))
  if (request.noLoad && !ready) {
    return {
      code: 'model_not_loaded',
      message: `model ${policy.id} is not loaded, and the request forbids loading it`,
      hint: `load it first: lswap load ${policy.id}`,
    }
  }
  const broken = ready ? undefined : brokenEverywhere(turn, policy)
  if (broken !== undefined) return broken
  return hasRoom(turn, policy, request) ? undefined : queueFull(turn, policy)
}

/** A model in cooldown on every host that could start it is refused at once, with the error of its last start. */
const brokenEverywhere = (turn: Turn, policy: ModelPolicy): Failure | undefined => {
  let failure: Failure | undefined
  for (const target of placementsOf(turn, policy)) {
    if (!isHostUp(turn, target.placement)) continue
    const cooldown = coolingDown(turn, policy, target)
    if (cooldown === undefined) return undefined
    failure = leftAlone(cooldown.failure, cooldown.until - turn.now)
  }
  return failure
}

/** Nothing was tried for this request, which the error of an earlier start alone would not tell. */
const leftAlone = (failure: Failure, forMs: number): Failure => ({
  hint: `that was an earlier start: the next one is tried in ${Math.max(1, Math.ceil(forMs / 1000))} s`,
  ...failure,
  retryAfterMs: forMs,
})

/** Only a request that must wait is refused for a full queue: the bounds are on waiting, not on serving. */
const queueFull = (turn: Turn, policy: ModelPolicy): Failure | undefined => {
  const { room } = turn.state
  const { maxQueued } = turn.rules.options.limits
  const ofModel = room.depthOf(policy.id) >= policy.queueLimit
  if (!ofModel && room.depth < maxQueued) return undefined
  return {
    code: 'queue_full',
    message: ofModel
      ? `the queue of ${policy.id} is full: ${policy.queueLimit} requests wait already`
      : `the queue is full: ${maxQueued} requests wait already`,
    hint: `send fewer at once, or raise ${ofModel ? `queueLimit of ${policy.id}` : 'maxQueued'}`,
    retryAfterMs: retryAfterMs(turn, policy),
  }
}

const hasRoom = (turn: Turn, policy: ModelPolicy, request: Request): boolean =>
  !turn.state.room.isWanted(policy.id) &&
  !turn.state.room.callers.isAtLimit(request) &&
  placementsOf(turn, policy).some(
    (target) =>
      isOpen(target) &&
      isHostUp(turn, target.placement) &&
      target.process.phase === 'ready' &&
      (!request.takesSlot || target.inFlight < target.process.slots),
  )

/** The client left before a grant. Whoever waited behind it may go now. */
export const onCancel = (turn: Turn, policy: Policy, { request }: RequestCancelled): void => {
  const waiter = turn.state.room.get(request)
  if (waiter === undefined) return
  waiter.steps.push({ at: turn.now, type: 'cancelled' })
  turn.state.room.remove(waiter)
  for (const swap of turn.state.swaps.values()) {
    // Somebody may want the room of a load that lost its last waiter.
    if (swap.swap.model === waiter.request.model && isAbandoned(turn.state, swap)) return walk(turn, policy)
  }
  if (mattered(turn, waiter)) return walk(turn, policy)
  if (isSaturated(turn.state, waiter.request.model)) serveModel(turn, policy, waiter.request.model)
}

/** Whether others could have waited for this one: its claim or its model's place in the order. */
const mattered = (turn: Turn, waiter: Waiter): boolean =>
  turn.state.claims.some((made) => made.request === waiter.request.id) ||
  !turn.state.room.isWanted(waiter.request.model)
