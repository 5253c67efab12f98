import type { Failure, Request, RequestId, RequestTimeline, TimelineStep } from '@lswap/core'

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
  /** The latest first; so many at most, else all. */
  latest(limit?: number): EndedRequest[]
}

/** `kept`: how many are remembered; it may change. */
export const createHistory = (kept: () => number): History => {
  // A ring alone: every request is kept and hardly one is asked for, so that finding may cost and keeping may not
  let ring: EndedRequest[] = []
  let size = 0
  let oldest = 0

  const latest: History['latest'] = (limit = ring.length) =>
    Array.from({ length: Math.min(limit, ring.length) }, (_, at) => ring.at((oldest - 1 - at) % ring.length)).filter(
      (ended) => ended !== undefined,
    )

  const resize = (wanted: number): void => {
    ring = latest(wanted).toReversed()
    size = wanted
    oldest = 0
  }

  return {
    keep: (ended) => {
      if (kept() !== size) resize(kept())
      if (ring.length < size) {
        ring.push(ended)
        return
      }
      if (size === 0) return
      ring[oldest] = ended
      oldest = (oldest + 1) % size
    },
    find: (wanted) => ring.find(({ request }) => request === wanted),
    latest,
  }
}
