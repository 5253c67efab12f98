import type { Failure, Request, RequestId, RequestTimeline, TimelineStep } from '@lswap/core'

/** Enough for somebody to ask about a request that just failed, at some kilobytes each. */
const KEPT_REQUESTS = 1_000

/** A request that is over. */
export interface EndedRequest extends RequestTimeline {
  readonly asked: Request
  readonly steps: readonly TimelineStep[]
  readonly outcome: 'done' | 'cancelled' | 'rejected'
  /** Why it was rejected. */
  readonly failure?: Failure | undefined
}

/** Requests that ended, the oldest forgotten first. */
export interface History {
  keep(ended: EndedRequest): void
  find(request: RequestId): EndedRequest | undefined
  /** The latest first. */
  latest(): EndedRequest[]
}

export const createHistory = (kept: number = KEPT_REQUESTS): History => {
  // A ring alone: every request is kept and hardly one is asked for, so that finding may cost and keeping may not
  const ring: EndedRequest[] = []
  let oldest = 0
  return {
    keep: (ended) => {
      if (ring.length < kept) {
        ring.push(ended)
        return
      }
      ring[oldest] = ended
      oldest = (oldest + 1) % kept
    },
    find: (wanted) => ring.find(({ request }) => request === wanted),
    latest: () => [...ring.slice(oldest), ...ring.slice(0, oldest)].toReversed(),
  }
}
