import type { Failure, Placement, Request, RequestId } from '@lswap/core'
import type { EndedRequest, History } from './history.ts'
import type { Ticket, Tickets } from './tickets.ts'

/** What is known of a request, live or over. */
export interface RequestRecord {
  readonly asked: Request
  readonly receivedAt: number
  readonly state: 'waiting' | 'running' | 'done' | 'cancelled' | 'rejected'
  readonly placement: Placement | undefined
  /** Of one that runs. */
  readonly grantedAt: number | undefined
  /** When the answer to one that runs began. */
  readonly answeredAt: number | undefined
  /** When it ended. */
  readonly endedAt: number | undefined
  /** Why it was rejected. */
  readonly failure: Failure | undefined
}

/** Requests that wait, run, or ended lately. */
export interface Records {
  find(request: RequestId): RequestRecord | undefined
  /** Those that wait and run, the oldest first; then those that ended, the latest first. */
  all(): RequestRecord[]
  /** The oldest first. */
  running(): RequestRecord[]
  /** The latest first. */
  ended(limit: number): RequestRecord[]
}

export const createRecords = (tickets: Tickets, ended: Pick<History, 'find' | 'latest'>): Records => ({
  find: (request) => {
    const ticket = tickets.get(request)
    if (ticket !== undefined) return ofTicket(ticket)
    const over = ended.find(request)
    return over === undefined ? undefined : ofEnded(over)
  },
  all: () => [...tickets.values().map((ticket) => ofTicket(ticket)), ...ended.latest().map((over) => ofEnded(over))],
  running: () =>
    tickets
      .values()
      .filter(({ state }) => state !== 'waiting')
      .map((ticket) => ofTicket(ticket)),
  ended: (limit) => ended.latest(limit).map((over) => ofEnded(over)),
})

const ofTicket = ({ request, receivedAt, state, placement, grantedAt, firstByteAt }: Ticket): RequestRecord => ({
  asked: request,
  receivedAt,
  // Ended in a moment: its last event is under way
  state: state === 'waiting' ? 'waiting' : 'running',
  placement: state === 'waiting' ? undefined : placement,
  grantedAt: state === 'waiting' ? undefined : grantedAt,
  answeredAt: firstByteAt,
  endedAt: undefined,
  failure: undefined,
})

const ofEnded = ({ asked, steps, outcome, failure }: EndedRequest): RequestRecord => {
  const granted = steps.findLast((step) => step.type === 'granted')
  return {
    asked,
    receivedAt: steps[0]?.at ?? 0,
    state: outcome,
    placement: granted?.type === 'granted' ? granted.placement : undefined,
    grantedAt: undefined,
    answeredAt: undefined,
    endedAt: steps.at(-1)?.at,
    failure,
  }
}
