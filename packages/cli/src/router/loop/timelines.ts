import type { Failure, RequestId, RequestTimeline, Scheduler, TimelineStep } from '@lswap/core'
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
}

export const createTimelines = ({ scheduler, tickets }: TimelinesOptions): Timelines => {
  const history = createHistory()

  const stepsOf = (ticket: Ticket): TimelineStep[] => {
    const known = ticket.waited ?? scheduler.timelineOf(ticket.request.id)?.steps
    const steps = [...(known ?? [{ at: ticket.receivedAt, type: 'received' as const }])]
    // The scheduler never sees the bytes and decides nothing by them, so the loop adds this one
    if (ticket.firstByteAt !== undefined) steps.push({ at: ticket.firstByteAt, type: 'first-byte' })
    return steps
  }

  const close: Timelines['close'] = (ticket, last) => {
    const steps = stepsOf(ticket)
    if (steps.at(-1)?.type !== last.type) steps.push(last)
    history.keep({ asked: ticket.request, request: ticket.request.id, steps, ...endOf(last) })
  }

  return {
    granted: (ticket) => {
      const steps = scheduler.timelineOf(ticket.request.id)?.steps
      if (steps !== undefined && steps.at(-1)?.at !== steps[0]?.at) ticket.waited = steps
    },
    close,
    closeRejected: (ticket, at, failure) => close(ticket, { at, type: 'rejected', failure }),
    of: (request) => {
      const ticket = tickets.get(request)
      return ticket === undefined ? history.find(request) : { request, steps: stepsOf(ticket) }
    },
    ended: history,
  }
}

const endOf = (last: LastStep): Pick<EndedRequest, 'outcome' | 'failure'> =>
  last.type === 'rejected' ? { outcome: last.type, failure: last.failure } : { outcome: last.type }
