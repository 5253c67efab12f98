import type { Epoch, Failure, Placement, Request, RequestId, SchedulerEvent, TimelineStep } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { ForgettingMap } from '../forgetting-map.ts'

/** Leave to forward a request: to this process, through this agent. */
export interface Grant {
  readonly request: RequestId
  readonly placement: Placement
  readonly epoch: Epoch
  readonly agent: Agent
}

/** Whoever waits for a request's turn. Both may be called before `submit` returns; `granted` once more after each retry. */
export interface Waiter {
  granted(grant: Grant): void
  rejected(failure: Failure): void
  /** Of a passive request that was granted: its process is to stop, so give the grant back now. */
  closed?(failure: Failure): void
}

/** What the loop remembers of a request until its end. */
export interface Ticket {
  readonly request: Request
  readonly waiter: Waiter
  readonly receivedAt: number
  /** `ended`: its last event is posted; nothing is told to the waiter any more. */
  state: 'waiting' | 'granted' | 'ended'
  /** The client left while it waited; a grant that crosses with that is given back at once. */
  isGone: boolean
  /** What its client was told, when that did not wait any longer. */
  sentAway: Failure | undefined
  /** When it was granted, the latest time. */
  grantedAt: number | undefined
  firstByteAt: number | undefined
  /** Where it is served, once granted. */
  placement: Placement | undefined
  /** Its steps up to the latest grant, where it had to wait for it. */
  waited: readonly TimelineStep[] | undefined
}

export type ServeOutcome = Extract<SchedulerEvent, { readonly type: 'serve-done' }>['outcome']

/** How a grant that is over ended: an engine that writes an answer notices at its next byte that nobody reads it. */
export const endOf = ({ firstByteAt }: Ticket, outcome: ServeOutcome): 'done' | 'given-up' =>
  outcome === 'given-up' && firstByteAt === undefined ? 'given-up' : 'done'

export type Tickets = ForgettingMap<RequestId, Ticket>

export const newTicket = (request: Request, waiter: Waiter, receivedAt: number): Ticket => ({
  request,
  waiter,
  receivedAt,
  state: 'waiting',
  isGone: false,
  sentAway: undefined,
  grantedAt: undefined,
  firstByteAt: undefined,
  placement: undefined,
  waited: undefined,
})
