import type { Failure, RequestId, RequestTimeline, Scheduler, TimelineStep } from '@lswap/core'
import { createHistory } from './history.ts'
import type { Ticket } from './tickets.ts'

/** Where requests' time went: of live ones from the scheduler, of ended ones from a bounded memory. */
export interface Timelines {
  /** Keeps what the scheduler knows, before it forgets; `last` is the step that ends it. */
  close(ticket: Ticket, last: TimelineStep): void
  /** The scheduler has decided already and may have forgotten the request. */
  closeRejected(ticket: Ticket, at: number, failure: Failure): void
  of(request: RequestId): RequestTimeline | undefined
}

export const createTimelines = (scheduler: Pick<Scheduler, 'timelineOf'>): Timelines => {
  const history = createHistory()

  const stepsOf = (ticket: Ticket): readonly TimelineStep[] =>
    scheduler.timelineOf(ticket.request.id)?.steps ?? [{ at: ticket.receivedAt, type: 'received' }]

  const close: Timelines['close'] = (ticket, last) => {
    const steps = [...stepsOf(ticket)]
    // The scheduler never sees the bytes, so the loop adds this one
    if (ticket.firstByteAt !== undefined) steps.push({ at: ticket.firstByteAt, type: 'first-byte' })
    if (steps.at(-1)?.type !== last.type) steps.push(last)
    history.keep(ticket.request.id, steps)
  }

  return {
    close,
    closeRejected: (ticket, at, failure) => close(ticket, { at, type: 'rejected', failure }),
    of: (request) => scheduler.timelineOf(request) ?? history.timelineOf(request),
  }
}
