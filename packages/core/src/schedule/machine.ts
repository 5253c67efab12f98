import { entryOfRequest, queueOf } from '../explain/queue.ts'
import { readingOf } from '../explain/reading.ts'
import type { RequestId } from '../ids.ts'
import type { Command } from './commands.ts'
import { positionOf, walk } from './dispatch/walk.ts'
import { onConfig } from './on/config.ts'
import { onPin } from './on/pin.ts'
import { onFleetChange } from './on/fleet.ts'
import { onCancel, onRequest } from './on/request.ts'
import { onServeDone } from './on/serve-done.ts'
import { onShutdown } from './on/shutdown.ts'
import { onStopDone, onUnload } from './on/stop.ts'
import { onSwapDone } from './on/swap-done.ts'
import { onTick } from './on/tick.ts'
import type { SchedulerOptions } from './options.ts'
import type { Policy } from './policy.ts'
import { causeOfWaiter } from './read/cause.ts'
import { timelineOf } from './read/timeline.ts'
import { statsOf, viewOf } from './read/view.ts'
import { nextTickOf } from './rules/next-tick.ts'
import type { Scheduler } from './scheduler.ts'
import { draw } from './state/random.ts'
import { saveState } from './state/snapshot.ts'
import type { State } from './state/state.ts'
import { openTurn, rulesOf, type Turn } from './turn.ts'

interface MachineParts {
  readonly state: State
  readonly options: SchedulerOptions
  readonly policyOf: (options: SchedulerOptions) => Policy
}

/** A scheduler: the shared rules around one policy. Each event is one turn over the state. */
export const machine = ({ state, options, policyOf }: MachineParts): Scheduler => {
  const random = (): number => draw(state)
  let rules = rulesOf(options, random)
  let policy = policyOf(options)
  const turnAt = (now: number): Turn => openTurn(state, rules, now)
  const open = (now: number): Turn => {
    // Clearing makes a new table, also of an empty map
    if (state.rejected.size > 0) state.rejected.clear()
    last = turnAt(now)
    return last
  }
  /** Whoever ended may have made room for another request of its caller. */
  const close = (turn: Turn): Command[] => {
    while (state.room.callers.nextFreed() !== undefined) walk(turn, policy)
    return turn.commands
  }
  const decide = (now: number, act: (turn: Turn) => void): Command[] => {
    const turn = open(now)
    act(turn)
    return close(turn)
  }
  let last = turnAt(state.now)
  /** For the question that follows each event: mostly nothing was asked since. */
  const lastTurn = (): Turn => (last.rules === rules && last.now === state.now ? last : turnAt(state.now))
  const waiterOf = (request: RequestId) => state.room.get(request)
  return {
    // These two come with each request, and do without a function of their own
    onRequest: (event) => {
      const turn = open(event.now)
      onRequest(turn, policy, event)
      return close(turn)
    },
    onCancel: (event) => decide(event.now, (turn) => onCancel(turn, policy, event)),
    onSwapDone: (event) => decide(event.now, (turn) => onSwapDone(turn, policy, event)),
    onServeDone: (event) => {
      const turn = open(event.now)
      onServeDone(turn, policy, event)
      return close(turn)
    },
    onStopDone: (event) => decide(event.now, (turn) => onStopDone(turn, policy, event)),
    onUnload: (event) => decide(event.now, (turn) => onUnload(turn, policy, event)),
    onPin: (event) => decide(event.now, (turn) => onPin(turn, policy, event)),
    onFleetChange: (event) => decide(event.now, (turn) => onFleetChange(turn, policy, event)),
    onConfig: (event) => {
      policy = policyOf(event.options)
      rules = rulesOf(event.options, random)
      return decide(event.now, (turn) => onConfig(turn, policy))
    },
    onTick: (event) => decide(event.now, (turn) => onTick(turn, policy)),
    onShutdown: (event) => decide(event.now, (turn) => onShutdown(turn, event)),
    nextTick: () => nextTickOf(lastTurn(), policy),
    positionOf: (request) => positionOf(turnAt(state.now), policy, request),
    timelineOf: (request) => timelineOf(state, request),
    causeOf: (request) => {
      const waiter = waiterOf(request)
      return waiter === undefined ? undefined : causeOfWaiter(state, waiter)
    },
    queue: (now, limit) => queueOf(readingOf(state, rules, now), policy, limit),
    explain: (request, now) => entryOfRequest(readingOf(state, rules, now), policy, request),
    stats: (now) => statsOf(state, now),
    view: (now) => viewOf(turnAt(now)),
    snapshot: () => saveState(state),
  }
}
