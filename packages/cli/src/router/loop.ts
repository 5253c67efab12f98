import { DEFAULT_KEPT, failureOf, feed, requestId } from '@lswap/core'
import type { Failure, HostId, ModelId, Placement } from '@lswap/core'
import type { QueueEntry, RequestId, RequestTimeline, Scheduler, SchedulerEvent, SchedulerStats } from '@lswap/core'
import type { SchedulerOptions, SchedulerView } from '@lswap/core'
import type { Agent, SwapProgress } from '@lswap/agent'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { ForgettingMap } from './forgetting-map.ts'
import { createCarryOut } from './loop/commands.ts'
import { createEventQueue } from './loop/event-queue.ts'
import { joinFleet } from './loop/fleet.ts'
import { startLoad, type AskedLoad, type Load } from './loop/load.ts'
import { createLeaveBehind } from './loop/leave-behind.ts'
import { watchMemory } from './loop/memory.ts'
import type { LoopObserver } from './loop/observer.ts'
import { createRecords, type Records } from './loop/records.ts'
import { createRequestBook, type Requests } from './loop/request-book.ts'
import type { OrderLimits } from './loop/order-limits.ts'
import { createOrders } from './loop/orders.ts'
import type { Tickets } from './loop/tickets.ts'
import { watchSamples } from './loop/samples.ts'
import { stoppableClock } from './loop/stoppable-clock.ts'
import { createTicker } from './loop/ticker.ts'
import { createTimelines } from './loop/timelines.ts'
import { createUnloads, type Unloads } from './loop/unloads.ts'

export type { Grant, Waiter } from './loop/tickets.ts'
export type { Load, LoadOutcome } from './loop/load.ts'
export type { RequestRecord } from './loop/records.ts'

export interface RunLoopOptions {
  readonly scheduler: Scheduler
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly orderLimits: OrderLimits
  readonly clock: Clock
  readonly log: Log
  readonly observer?: LoopObserver
  /** A host has other models than before. */
  readonly onModels?: () => void
  /** Whether the memory of hosts decides what must go; absent: it does not. */
  readonly goesByMemory?: () => boolean
  /** How many requests that ended are remembered. */
  readonly keptRequests?: () => number
}

/** The only owner of the scheduler: takes events one at a time and carries out what it decides. */
export interface RunLoop extends Requests {
  /** Tells the scheduler of every host; resolves when all were asked what runs there. */
  start(): Promise<void>
  /** A fresh number for a request, also for one that never gets as far as `submit`. */
  nextRequestId(): RequestId
  /** The client of a request that waits for a load will come back: the load goes on without it. Before its `cancel`. */
  leaveBehind(request: RequestId): void
  /** `request`: the number it is known by. */
  load(model: ModelId, request?: RequestId): Load
  /** Keeps a model loaded once it is, or no longer. */
  pin(model: ModelId, pinned: boolean): void
  /** Resolves when the processes are gone, or are known to be stuck. */
  unload: Unloads['ask']
  /** Another configuration, for everything that is decided from now on. */
  reconfigure(options: SchedulerOptions): void
  /** There are other agents than before. */
  agentsChanged(): void
  view(): SchedulerView
  stats(): SchedulerStats
  /** Waiting requests in the order of dispatch, for people. */
  queue(limit: number): readonly QueueEntry[]
  /** Why one request waits; undefined when it does not. */
  explain(request: RequestId): QueueEntry | undefined
  timelineOf(request: RequestId): RequestTimeline | undefined
  /** How far the running swap to a placement is. */
  progressOf(placement: Placement): SwapProgress | undefined
  /** How long a decision that only waits for time is overdue, with none made since: 0 while the scheduler moves. */
  decisionAgeMs(): number
  /** Requests that wait, run, or ended lately. */
  readonly records: Records
  /** Ends timers and subscriptions, after the shutdown. */
  stop(): void
}

export const createRunLoop = (options: RunLoopOptions): RunLoop => {
  const { scheduler, agents, orderLimits, clock, log, observer = {} } = options
  const tickets: Tickets = new ForgettingMap()
  const timelines = createTimelines({ scheduler, tickets, kept: options.keptRequests ?? (() => DEFAULT_KEPT) })
  let numbered = 0
  let decidedAt = clock.now()

  const queue = createEventQueue({
    clock,
    process: (event) => process(event),
    onIdle: () => {
      ticker.rearm()
      observer.changed?.()
    },
  })
  const book = createRequestBook({
    tickets,
    timelines,
    queue,
    clock,
    log,
    onAnswered: () => observer.changed?.(),
  })
  const unloads = createUnloads(queue)
  const ticker = createTicker({ clock, due: () => scheduler.nextTick(), tick: () => queue.post({ type: 'ticked' }) })
  const memory = watchMemory({ agents, clock, queue, log, isUsed: options.goesByMemory ?? (() => false) })
  const samples = watchSamples({ agents, clock, queue, log })
  const { onModels } = options
  const fleet = joinFleet({ agents, clock, queue, memory, log, onModels, onMeasured: (agent) => samples.ask(agent) })
  const limitClock = stoppableClock(clock)
  const orders = createOrders({ agents, queue, fleet, limits: orderLimits, clock: limitClock, log, observer })
  const carryOut = createCarryOut({
    agents,
    tickets,
    unloads,
    orders,
    queue,
    log,
    onGranted: (ticket) => {
      book.granted(ticket)
      observer.granted?.(ticket)
    },
    onRejected: (ticket, failure) => timelines.closeRejected(ticket, clock.now(), failure),
  })

  const process = (event: SchedulerEvent): void => {
    decidedAt = event.now
    if (!book.isStillTrue(event)) return
    try {
      for (const command of feed(scheduler, event)) carryOut(command)
    } catch (error) {
      // A configuration holds secrets
      const shown = event.type === 'config-changed' ? { type: event.type, now: event.now } : event
      log.error({ err: error, event: shown }, 'bug: the scheduler threw')
      giveUp(event, failureOf(error))
    }
  }

  /** Nobody may wait for a decision that will not come. */
  const giveUp = (event: SchedulerEvent, failure: Failure): void => {
    if (event.type === 'request-received') carryOut({ type: 'reject', request: event.request.id, failure })
    else if (event.type === 'unload-asked') unloads.fail(event.unload, failure)
  }

  const nextRequestId = (): RequestId => requestId((numbered += 1))

  const load = (asked: AskedLoad): Load => startLoad(asked, book.requests)

  return {
    ...book.requests,
    start: () => fleet.appear(),
    nextRequestId,
    leaveBehind: createLeaveBehind({
      tickets,
      load: (model, priority) => load({ id: nextRequestId(), model, priority }),
    }),
    load: (model, request = nextRequestId()) => load({ id: request, model, priority: 0 }),
    pin: (model, pinned) => queue.post({ type: 'pin-asked', model, pinned }),
    unload: (targets, how) => unloads.ask(targets, how),
    reconfigure: (next) => queue.post({ type: 'config-changed', options: next }),
    agentsChanged: () => fleet.agentsChanged(),
    view: () => scheduler.view(clock.now()),
    stats: () => scheduler.stats(clock.now()),
    queue: (limit) => scheduler.queue(clock.now(), limit),
    explain: (request) => scheduler.explain(request, clock.now()),
    timelineOf: (request) => timelines.of(request),
    progressOf: (placement) => orders.progressOf(placement),
    decisionAgeMs: () => {
      const due = scheduler.nextTick()
      return due === undefined ? 0 : Math.max(0, clock.now() - Math.max(due, decidedAt))
    },
    records: createRecords(tickets, timelines.ended),
    stop: () => {
      ticker.stop()
      samples.stop()
      memory.stop()
      limitClock.stop()
      fleet.leave()
    },
  }
}
