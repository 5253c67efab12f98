import type { Failure, Request, RequestId, RequestTimeline, TimelineStep } from '@lswap/core'

/** Enough for somebody to ask about a request that just failed, at some kilobytes each. */
const KEPT_REQUESTS = 1_000

/** A request that is over. */
export interface EndedRequest extends RequestTimeline {
  readonly asked: Request
  readonly steps: readonly TimelineStep[]
  readonly outcome: 'done' | 'cancelled' | 'rejected'
  /** Why it was rejected. */
  readonly failure?: Failure
}

/** Requests that ended, the oldest forgotten first. */
export interface History {
  keep(ended: EndedRequest): void
  find(request: RequestId): EndedRequest | undefined
  /** The latest first. */
  latest(): EndedRequest[]
}

export const createHistory = (kept: number = KEPT_REQUESTS): History => {
  const requests = new Map<RequestId, EndedRequest>()
  // The oldest is told by a ring: a map finds its own first key only behind the holes of all that were deleted before it
  const ring: RequestId[] = []
  let oldest = 0
  return {
    keep: (ended) => {
      const { request } = ended
      const isNew = !requests.has(request)
      requests.set(request, ended)
      if (!isNew) return
      const forgotten = ring[oldest]
      if (ring.length < kept) {
        ring.push(request)
      } else if (forgotten !== undefined) {
        requests.delete(forgotten)
        ring[oldest] = request
        oldest = (oldest + 1) % kept
      }
    },
    find: (request) => requests.get(request),
    latest: () => [...requests.values()].toReversed(),
  }
}
