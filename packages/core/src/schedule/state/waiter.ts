import type { TimelineStep } from '../../timeline/timeline.ts'
import type { Request } from '../request.ts'
import type { Order } from './heap.ts'

/** A queued request. A request that is queued again gets a new waiter with the old place. */
export interface Waiter {
  readonly request: Request
  /** Order of arrival among all requests; kept when the request is queued again. */
  readonly arrival: number
  readonly receivedAt: number
  /** When it counts as arrived, in milliseconds: later than it did where a caller's requests are spaced. */
  readonly countsFrom: number
  /** Higher goes first inside its model; never changes while it waits, so that heaps stay valid. */
  readonly rank: number
  /** Grants so far. */
  attempts: number
  readonly steps: TimelineStep[]
  /** False once it left the queue: its entries in the heaps are then dead and dropped when met. */
  waiting: boolean
  /** Its caller has as many requests under way as it may: it waits outside the order. */
  readonly parked: boolean
}

/** Of a request that arrives now. It is in no queue yet. */
export const newWaiter = (
  { state, now }: Arrival,
  request: Request,
  { countsFrom, rank, steps }: Pick<Waiter, 'countsFrom' | 'rank' | 'steps'>,
): Waiter => {
  const arrival = state.nextArrival
  state.nextArrival += 1
  return { request, arrival, receivedAt: now, countsFrom, rank, attempts: 0, steps, waiting: false, parked: false }
}

/** How its timeline begins, behind so many others of its model. */
export const arrivalSteps = (now: number, ahead: number): TimelineStep[] => [
  { at: now, type: 'received' },
  { at: now, type: 'queued', ahead },
]

interface Arrival {
  readonly state: { nextArrival: number }
  readonly now: number
}

/** Who came first: by the time that counts, then by arrival. */
export const countsBefore = (
  a: Pick<Waiter, 'countsFrom' | 'arrival'>,
  b: Pick<Waiter, 'countsFrom' | 'arrival'>,
): boolean => (a.countsFrom === b.countsFrom ? a.arrival < b.arrival : a.countsFrom < b.countsFrom)

/** Order inside one model: rank, then who came first. */
export const ranksBefore = (a: Waiter, b: Waiter): boolean => (a.rank === b.rank ? countsBefore(a, b) : a.rank > b.rank)

export const byRank: Order<Waiter> = { key: ({ rank }) => -rank, before: countsBefore }

const arrivedBefore = (a: Waiter, b: Waiter): boolean => a.arrival < b.arrival

export const byArrival: Order<Waiter> = { key: ({ arrival }) => arrival, before: arrivedBefore }

/** As if waiting were worth nothing. */
export const byPriority: Order<Waiter> = { key: ({ request }) => -request.priority, before: arrivedBefore }
