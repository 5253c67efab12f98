import type { Failure, Request, RequestId, SchedulerEvent } from '@lswap/core'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { EventQueue } from './event-queue.ts'
import { endOf, newTicket, type ServeOutcome, type Ticket, type Tickets, type Waiter } from './tickets.ts'
import type { Timelines } from './timelines.ts'

export interface RequestBookOptions {
  readonly tickets: Tickets
  readonly timelines: Pick<Timelines, 'granted' | 'close'>
  readonly queue: EventQueue
  readonly clock: Clock
  readonly log: Log
  /** An answer began: nothing is decided, but it can be seen. */
  readonly onAnswered: () => void
}

/** What those who serve requests tell of them, from their coming to their end. */
export interface Requests {
  /** The answer comes to the waiter, for a ready model before this returns. */
  submit(request: Request, waiter: Waiter): void
  /** The client left while the request waited: its waiter hears nothing more. `failure`: what it was told, if it was sent away. */
  cancel(request: RequestId, failure?: Failure): void
  /** The upstream's answer began. */
  answered(request: RequestId): void
  /** A grant ended. `retry`: nothing had come yet and it can be sent again; the waiter is told again. `given-up`: its engine was cut off. */
  served(request: RequestId, outcome: ServeOutcome): void
  /** Rejects every waiter, and all that still come. Granted requests go on. */
  shutdown(failure: Failure): void
}

export interface RequestBook {
  /** For those who serve them. */
  readonly requests: Requests
  /** Notes what begins or ends with an event, right before it is decided. False: it was overtaken while it waited for its turn. */
  isStillTrue(event: SchedulerEvent): boolean
  /** Notes when it was granted, and after which wait. */
  granted(ticket: Ticket): void
}

export const createRequestBook = (options: RequestBookOptions): RequestBook => {
  const { tickets, timelines, queue, clock, log, onAnswered } = options
  let closing: Failure | undefined
  /** The request whose arrival is being decided. */
  let arriving: RequestId | undefined

  const noteEnd = (event: SchedulerEvent): boolean => {
    if (event.type === 'request-cancelled') {
      const ticket = tickets.get(event.request)
      if (ticket?.state !== 'waiting') return false
      const { sentAway: failure } = ticket
      timelines.close(ticket, { at: event.now, ...(failure ? { type: 'rejected', failure } : { type: 'cancelled' }) })
      tickets.delete(event.request)
    } else if (event.type === 'serve-done' && event.outcome !== 'retry') {
      const ticket = tickets.get(event.request)
      if (ticket !== undefined) {
        timelines.close(ticket, { at: event.now, type: ticket.isGone ? 'cancelled' : 'done' })
        tickets.delete(event.request)
      }
    }
    return true
  }

  const requests: Requests = {
    submit: (request, waiter) => {
      if (closing !== undefined) return waiter.rejected(closing)
      tickets.set(request.id, newTicket(request, waiter, clock.now()))
      return queue.post({ type: 'request-received', request })
    },
    cancel: (request, failure) => {
      const ticket = tickets.get(request)
      if (ticket?.state !== 'waiting' || ticket.isGone) return
      ticket.isGone = true
      ticket.sentAway = failure
      queue.post({ type: 'request-cancelled', request })
    },
    answered: (request) => {
      const ticket = tickets.get(request)
      if (ticket?.firstByteAt !== undefined || ticket === undefined) return
      ticket.firstByteAt = clock.now()
      onAnswered()
    },
    served: (request, outcome) => {
      const ticket = tickets.get(request)
      if (ticket?.state !== 'granted') {
        log.error({ request, outcome }, 'bug: the end of a grant was told twice')
        return
      }
      // A request that is queued again after the shutdown's rejections would wait for ever
      const isOver = outcome !== 'retry' || closing !== undefined
      ticket.state = isOver ? 'ended' : 'waiting'
      if (!isOver) ticket.waited = undefined
      queue.post({ type: 'serve-done', request, outcome: isOver ? endOf(ticket, outcome) : 'retry' })
      if (outcome === 'retry' && closing !== undefined) ticket.waiter.rejected(closing)
    },
    shutdown: (failure) => {
      if (closing !== undefined) return
      closing = failure
      queue.post({ type: 'shutdown-started', failure })
    },
  }

  return {
    requests,
    isStillTrue: (event) => {
      if (!noteEnd(event)) return false
      arriving = event.type === 'request-received' ? event.request.id : undefined
      return true
    },
    granted: (ticket) => {
      ticket.grantedAt = clock.now()
      // Granted in the event of its arrival: it did not wait
      if (ticket.request.id !== arriving) timelines.granted(ticket)
    },
  }
}
