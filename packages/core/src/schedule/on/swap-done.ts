import { walk } from '../dispatch/walk.ts'
import { grant } from '../act/grant.ts'
import { rejectAllOf } from '../act/reject.ts'
import { stopOutdated } from '../act/outdated.ts'
import { startSwap } from '../act/swap.ts'
import type { SwapDone } from '../events.ts'
import type { Policy } from '../policy.ts'
import { forgiveIfSteady, startCooldown } from '../rules/cooldown.ts'
import { definitionOn } from '../rules/definition.ts'
import { wouldNotEnd } from '../rules/stuck.ts'
import { nextVictim } from '../rules/victim.ts'
import { pendingEndOf } from '../state/orders.ts'
import { isOpen, livesOn, type PlacementState } from '../state/placement.ts'
import { logOf, placementOf, setProcess, setStuck, type SwapState } from '../state/state.ts'
import type { Eviction, SwapResult } from '../swap.ts'
import { isHostUp, placementsOf, slotsOf, type Turn } from '../turn.ts'

/** The one answer to a swap. It always updates the placement, whatever happened meanwhile. */
export const onSwapDone = (turn: Turn, policy: Policy, { generation, result }: SwapDone): void => {
  const { state, now } = turn
  const ended = state.swaps.get(generation)
  if (ended === undefined) return
  state.swaps.delete(generation)
  const { model, host } = ended.swap
  const target = placementOf(state, { model, host })
  const { process } = target
  const isOurs = process.phase === 'loading' && process.generation === generation
  const { outcome, timings } = result
  logOf(state, model).record({ at: now, type: 'swap-ended', generation, outcome, timings })
  for (const eviction of result.evictions) {
    settleEviction(turn, ended, eviction)
    const { key } = placementOf(state, { model: eviction.model, host })
    if (result.outcome === 'ready') state.measures.add('stop', key, result.timings.stopMs)
  }
  if (isOurs) {
    switch (result.outcome) {
      case 'ready': {
        // A host that is out of reach tells what it runs when it is back; what a stop has ended is not there.
        if (ended.stopped || !isHostUp(turn, target.placement)) {
          setProcess(state, target, { phase: 'stopped' })
          break
        }
        const limits = turn.rules.models.get(model)
        const { epoch, slots: told } = result
        const slots = limits === undefined ? (told ?? 1) : slotsOf(limits, told)
        const { processHash } = process
        setProcess(state, target, {
          phase: 'ready',
          epoch,
          slots,
          ...(told === undefined ? {} : { told }),
          processHash,
        })
        target.lastFailure = undefined
        state.measures.add('load', target.key, result.timings.loadMs)
        grantLeased(turn, ended, target)
        break
      }
      case 'failed':
        setProcess(state, target, { phase: 'stopped' })
        failed(turn, ended, { target, failed: result, commandHash: process.commandHash })
        break
      case 'aborted':
        setProcess(state, target, { phase: 'stopped' })
        break
      default:
        return result satisfies never
    }
  }
  // One that left the configuration, or changed, while it was to be evicted, and was kept, has nobody else to end it.
  stopOutdated(turn)
  walk(turn, policy)
}

const settleEviction = (turn: Turn, { swap }: SwapState, { model, outcome, failure }: Eviction): void => {
  const { state } = turn
  const victim = placementOf(state, { model, host: swap.host })
  const isLatest = victim.leaving === swap.generation
  if (isLatest) victim.leaving = pendingEndOf(state, victim)
  switch (outcome) {
    case 'stopped': {
      const policy = turn.rules.models.get(model)
      if (policy !== undefined) forgiveIfSteady(turn, policy, victim)
      // A load among the victims is answered by its own swap.
      if (victim.process.phase !== 'loading') setProcess(state, victim, { phase: 'stopped' })
      break
    }
    case 'stuck':
      // The order after it may leave it as it is, and it would count as ready again.
      if (isLatest || livesOn(victim)) setStuck(state, victim, failure ?? wouldNotEnd(model))
      break
    case 'kept':
      break
    default:
      outcome satisfies never
  }
}

/**
 * The first waiters of the load go first: nobody came between them and their model. The place of one that left goes to
 * the next in line, and those without a slot take nobody's place: a load is never in vain.
 */
const grantLeased = (turn: Turn, { leased }: SwapState, target: PlacementState): void => {
  const { room } = turn.state
  const { model } = target.placement
  const queue = room.queueOf(model)
  if (!isOpen(target) || target.process.phase !== 'ready' || queue === undefined) return
  const { slots } = target.process
  const first = leased.map((id) => room.get(id)).filter((waiter) => waiter !== undefined)
  const left = leased.length - first.length
  for (const waiter of first) if (target.inFlight < slots) grant(turn, waiter, { target, reason: WAITED })
  for (const waiter of queue.slotted.first(left))
    if (target.inFlight < slots) grant(turn, waiter, { target, reason: WAITED })
  for (const waiter of queue.slotless.first(Infinity)) grant(turn, waiter, { target, reason: WAITED })
}

const WAITED = 'it waited for this load'

interface Broken {
  readonly target: PlacementState
  readonly failed: Extract<SwapResult, { readonly outcome: 'failed' }>
  readonly commandHash: string
}

const failed = (
  turn: Turn,
  ended: SwapState,
  { target, failed: { failure, unanswered }, commandHash }: Broken,
): void => {
  const { model } = ended.swap
  const policy = turn.rules.models.get(model)
  target.lastFailure = failure
  // That start is not what the configuration says now: whoever waits, waits for the next one.
  if (policy !== undefined && definitionOn(policy, target.placement.host).commandHash !== commandHash) return
  // The loss of the host follows. Until then it would refuse every order like this one
  if (failure.code === 'fenced') return void turn.state.taken.set(target.placement.host, failure)
  // A host that let this order be may do so with each: others are to have it in between, longer each time.
  if (policy !== undefined && unanswered === true) return startCooldown(turn, policy, { target, failure })
  // The host went away with the load: its waiters may still be served, there or elsewhere.
  if (policy !== undefined && !isHostUp(turn, target.placement)) return
  if (failure.code === 'out_of_memory' && !ended.afterOutOfMemory && !ended.aborting) {
    const victim = nextVictim(turn, target)
    // Those who forbid loads wait for a replica that is there; for them alone nobody has to go.
    const isWanted = turn.state.room.allOf(model).some(({ request }) => !request.noLoad)
    if (victim !== undefined && isWanted) {
      startSwap(turn, { target, evict: [victim], afterOutOfMemory: true })
      return
    }
  }
  // A neighbour that would not end says nothing about the model itself.
  if (policy !== undefined && failure.code !== 'stop_failed') startCooldown(turn, policy, { target, failure })
  // Of one that was given up nobody is left: whoever waits now came later, for its end.
  if (ended.aborting || isAliveElsewhere(turn, target)) return
  rejectAllOf(turn, model, failure)
}

const isAliveElsewhere = (turn: Turn, broken: PlacementState): boolean => {
  const policy = turn.rules.models.get(broken.placement.model)
  if (policy === undefined) return false
  return placementsOf(turn, policy).some(
    (target) => target !== broken && (target.process.phase === 'loading' || isOpen(target)),
  )
}
