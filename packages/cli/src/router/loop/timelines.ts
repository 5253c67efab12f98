import type { Failure, Request, RequestId, RequestTimeline, Scheduler, TimelineStep } from '@lswap/core'
import { createHistory, type EndedRequest, type History } from './history.ts'
import type { Ticket, Tickets } from './tickets.ts'

/** Where requests' time went: of live ones from the scheduler, of ended ones from a bounded memory. */
export interface Timelines {
  /** Keeps why the request waited, once that is over: what its model's waiters share is remembered only for a while. */
  granted(ticket: Ticket): void
  /** Keeps what the scheduler knows, before it forgets; `last` is the step that ends it. */
  close(ticket: Ticket, last: LastStep): void
  /** The scheduler has decided already and may have forgotten the request. */
  closeRejected(ticket: Ticket, at: number, failure: Failure): void
  of(request: RequestId): RequestTimeline | undefined
  readonly ended: Pick<History, 'find' | 'latest'>
}

type LastStep = Extract<TimelineStep, { type: 'done' | 'cancelled' | 'rejected' }>

export interface TimelinesOptions {
  readonly scheduler: Pick<Scheduler, 'timelineOf'>
  readonly tickets: Tickets
  /** How many requests that ended are remembered. */
  readonly kept: () => number
}

export const createTimelines = ({ scheduler, tickets, kept }: TimelinesOptions): Timelines => {
  const history = createHistory(kept)

  const knownOf = (ticket: Ticket): readonly TimelineStep[] | undefined =>
    ticket.waited ?? scheduler.timelineOf(ticket.request.id)?.steps

  const close: Timelines['close'] = (ticket, last) => history.keep(new Ended(ticket, knownOf(ticket), last))

  return {
    granted: (ticket) => {
      const steps = scheduler.timelineOf(ticket.request.id)?.steps
      if (steps !== undefined && steps.at(-1)?.at !== steps[0]?.at) ticket.waited = steps
    },
    close,
    closeRejected: (ticket, at, failure) => close(ticket, { at, type: 'rejected', failure }),
    of: (request) => {
      const ticket = tickets.get(request)
      return ticket === undefined ? history.find(request) : { request, steps: stepsOf(ticket, knownOf(ticket)) }
    },
    ended: history,
  }
}

/** The scheduler never sees the bytes and decides nothing by them, so the loop adds the first. */
const stepsOf = (
  { receivedAt, firstByteAt }: Pick<Ticket, 'receivedAt' | 'firstByteAt'>,
  known: readonly TimelineStep[] | undefined,
): TimelineStep[] => {
  const steps = [...(known ?? [{ at: receivedAt, type: 'received' as const }])]
  if (firstByteAt !== undefined) steps.push({ at: firstByteAt, type: 'first-byte' })
  return steps
}

/** A request that is over, as little as it takes: its steps are put together when somebody asks, and hardly anybody does. */
class Ended implements EndedRequest {
  readonly request: RequestId
  readonly asked: Request
  readonly #receivedAt: number
  readonly #firstByteAt: number | undefined
  readonly #known: readonly TimelineStep[] | undefined
  readonly #last: LastStep

  constructor(
    { request, receivedAt, firstByteAt }: Ticket,
    known: readonly TimelineStep[] | undefined,
    last: LastStep,
  ) {
    this.request = request.id
    this.asked = request
    this.#receivedAt = receivedAt
    this.#firstByteAt = firstByteAt
    this.#known = known
    this.#last = last
  }

  get steps(): readonly TimelineStep[] {
    const steps = stepsOf({ receivedAt: this.#receivedAt, firstByteAt: this.#firstByteAt }, this.#known)
    if (steps.at(-1)?.type !== this.#last.type) steps.push(this.#last)
    return steps
  }

  get outcome(): EndedRequest['outcome'] {
    return this.#last.type
  }

  get failure(): Failure | undefined {
    return this.#last.type === 'rejected' ? this.#last.failure : undefined
  }
}
