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
  // A map keeps the order of insertion, so its first key is the oldest
  const requests = new Map<RequestId, EndedRequest>()
  return {
    keep: (ended) => {
      requests.set(ended.request, ended)
      if (requests.size <= kept) return
      for (const oldest of requests.keys()) {
        requests.delete(oldest)
        return
      }
    },
    find: (request) => requests.get(request),
    latest: () => [...requests.values()].toReversed(),
  }
}
