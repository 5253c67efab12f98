import {
  failureOf,
  feed,
  LswapError,
  requestId,
  unloadId,
  type Failure,
  type HostId,
  type ModelId,
  type Placement,
  type Request,
} from '@lswap/core'
import type { QueueEntry, RequestId, RequestTimeline, Scheduler, SchedulerEvent, SchedulerStats } from '@lswap/core'
import type { DrainLimit, SchedulerOptions, SchedulerView, StopOutcome } from '@lswap/core'
import type { Agent, SwapProgress } from '@lswap/agent'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import { ForgettingMap } from './forgetting-map.ts'
import { createCarryOut, type Unloads } from './loop/commands.ts'
import { createEventQueue } from './loop/event-queue.ts'
import { joinFleet } from './loop/fleet.ts'
import { startLoad, type Load } from './loop/load.ts'
import { createLeaveBehind } from './loop/leave-behind.ts'
import { watchMemory } from './loop/memory.ts'
import type { LoopObserver } from './loop/observer.ts'
import { createRecords, type Records } from './loop/records.ts'
import type { OrderLimits } from './loop/order-limits.ts'
import { createOrders } from './loop/orders.ts'
import { newTicket, type Tickets, type Waiter } from './loop/tickets.ts'
import { watchSamples } from './loop/samples.ts'
import { stoppableClock } from './loop/stoppable-clock.ts'
import { createTicker } from './loop/ticker.ts'
import { createTimelines } from './loop/timelines.ts'

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
}

export interface UnloadOptions {
  readonly drainMs: DrainLimit
  readonly force: boolean
}

/** The only owner of the scheduler: takes events one at a time and carries out what it decides. */
export interface RunLoop {
  /** Tells the scheduler of every host; resolves when all were asked what runs there. */
  start(): Promise<void>
  /** A fresh number for a request, also for one that never gets as far as `submit`. */
  nextRequestId(): RequestId
  /** The answer comes to the waiter, for a ready model before this returns. */
  submit(request: Request, waiter: Waiter): void
  /** The client left while the request waited: its waiter hears nothing more. `failure`: what it was told, if it was sent away. */
  cancel(request: RequestId, failure?: Failure): void
  /** The client of a request that waits for a load will come back: the load goes on without it. Before its `cancel`. */
  leaveBehind(request: RequestId): void
  /** The upstream's answer began. */
  answered(request: RequestId): void
  /** A grant ended. `retry`: nothing had come yet and it can be sent again; the waiter is told again. */
  served(request: RequestId, outcome: 'done' | 'retry'): void
  /** `request`: the number it is known by. */
  load(model: ModelId, request?: RequestId): Load
  /** Keeps a model loaded once it is, or no longer. */
  pin(model: ModelId, pinned: boolean): void
  /** Resolves when the processes are gone, or are known to be stuck. */
  unload(targets: readonly ModelId[] | 'all', options: UnloadOptions): Promise<readonly StopOutcome[]>
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
  /** Rejects every waiter, and all that still come. Granted requests go on. */
  shutdown(failure: Failure): void
  /** Ends timers and subscriptions, after the shutdown. */
  stop(): void
}

export const createRunLoop = (options: RunLoopOptions): RunLoop => {
  const { scheduler, agents, orderLimits, clock, log, observer = {} } = options
  const tickets: Tickets = new ForgettingMap()
  const unloads: Unloads = new Map()
  const timelines = createTimelines({ scheduler, tickets })
  const numbers = { request: 0, unload: 0 }
  let closing: Failure | undefined
  let decidedAt = clock.now()
  /** The request whose arrival is being decided. */
  let arriving: RequestId | undefined

  const queue = createEventQueue({
    clock,
    process: (event) => process(event),
    onIdle: () => {
      ticker.rearm()
      observer.changed?.()
    },
  })
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
      ticket.grantedAt = clock.now()
      // Granted in the event of its arrival: it did not wait
      if (ticket.request.id !== arriving) timelines.granted(ticket)
      observer.granted?.(ticket)
    },
    onRejected: (ticket, failure) => timelines.closeRejected(ticket, clock.now(), failure),
  })

  const process = (event: SchedulerEvent): void => {
    decidedAt = event.now
    if (!isStillTrue(event)) return
    arriving = event.type === 'request-received' ? event.request.id : undefined
    try {
      for (const command of feed(scheduler, event)) carryOut(command)
    } catch (error) {
      // A configuration holds secrets
      const shown = event.type === 'config-changed' ? { type: event.type, now: event.now } : event
      log.error({ err: error, event: shown }, 'bug: the scheduler threw')
      giveUp(event, failureOf(error))
    }
  }

  /** Notes what ends with the event; false: it was overtaken while it waited for its turn. */
  const isStillTrue = (event: SchedulerEvent): boolean => {
    if (event.type === 'request-cancelled') {
      const ticket = tickets.get(event.request)
      if (ticket?.state !== 'waiting') return false
      const { sentAway: failure } = ticket
      timelines.close(ticket, { at: event.now, ...(failure ? { type: 'rejected', failure } : { type: 'cancelled' }) })
      tickets.delete(event.request)
    } else if (event.type === 'serve-done' && event.outcome === 'done') {
      const ticket = tickets.get(event.request)
      if (ticket !== undefined) {
        timelines.close(ticket, { at: event.now, type: ticket.isGone ? 'cancelled' : 'done' })
        tickets.delete(event.request)
      }
    }
    return true
  }

  /** Nobody may wait for a decision that will not come. */
  const giveUp = (event: SchedulerEvent, failure: Failure): void => {
    if (event.type === 'request-received') carryOut({ type: 'reject', request: event.request.id, failure })
    if (event.type !== 'unload-asked') return
    unloads.get(event.unload)?.reject(new LswapError(failure))
    unloads.delete(event.unload)
  }

  const nextRequestId = (): RequestId => requestId((numbers.request += 1))

  const submit: RunLoop['submit'] = (request, waiter) => {
    if (closing !== undefined) return waiter.rejected(closing)
    tickets.set(request.id, newTicket(request, waiter, clock.now()))
    return queue.post({ type: 'request-received', request })
  }

  const served: RunLoop['served'] = (request, outcome) => {
    const ticket = tickets.get(request)
    if (ticket?.state !== 'granted') {
      log.error({ request, outcome }, 'bug: the end of a grant was told twice')
      return
    }
    // A request that is queued again after the shutdown's rejections would wait for ever
    const isOver = outcome === 'done' || closing !== undefined
    ticket.state = isOver ? 'ended' : 'waiting'
    if (!isOver) ticket.waited = undefined
    queue.post({ type: 'serve-done', request, outcome: isOver ? 'done' : 'retry' })
    if (outcome === 'retry' && closing !== undefined) ticket.waiter.rejected(closing)
  }

  return {
    start: () => fleet.appear(),
    nextRequestId,
    submit,
    cancel: (request, failure) => {
      const ticket = tickets.get(request)
      if (ticket?.state !== 'waiting' || ticket.isGone) return
      ticket.isGone = true
      ticket.sentAway = failure
      queue.post({ type: 'request-cancelled', request })
    },
    leaveBehind: createLeaveBehind({
      tickets,
      load: (model, priority) => startLoad({ id: nextRequestId(), model, priority }, { submit, served }),
    }),
    answered: (request) => {
      const ticket = tickets.get(request)
      if (ticket?.firstByteAt !== undefined || ticket === undefined) return
      ticket.firstByteAt = clock.now()
      observer.changed?.()
    },
    served,
    load: (model, request = nextRequestId()) => startLoad({ id: request, model, priority: 0 }, { submit, served }),
    pin: (model, pinned) => queue.post({ type: 'pin-asked', model, pinned }),
    unload: (targets, { drainMs, force }) =>
      new Promise((resolve, reject) => {
        const unload = unloadId((numbers.unload += 1))
        unloads.set(unload, { resolve, reject })
        queue.post({ type: 'unload-asked', unload, targets, drainMs, force })
      }),
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
    shutdown: (failure) => {
      if (closing !== undefined) return
      closing = failure
      queue.post({ type: 'shutdown-started', failure })
    },
    stop: () => {
      ticker.stop()
      samples.stop()
      memory.stop()
      limitClock.stop()
      fleet.leave()
    },
  }
}
