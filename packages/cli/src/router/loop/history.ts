import type { RequestId, RequestTimeline, TimelineStep } from '@lswap/core'

/** Enough for somebody to ask about a request that just failed, at some kilobytes each. */
const KEPT_TIMELINES = 1_000

/** Timelines of requests that ended, the oldest forgotten first. */
export interface History {
  keep(request: RequestId, steps: readonly TimelineStep[]): void
  timelineOf(request: RequestId): RequestTimeline | undefined
}

export const createHistory = (kept: number = KEPT_TIMELINES): History => {
  // A map keeps the order of insertion, so its first key is the oldest
  const timelines = new Map<RequestId, RequestTimeline>()
  return {
    keep: (request, steps) => {
      timelines.set(request, { request, steps })
      if (timelines.size <= kept) return
      for (const oldest of timelines.keys()) {
        timelines.delete(oldest)
        return
      }
    },
    timelineOf: (request) => timelines.get(request),
  }
}
