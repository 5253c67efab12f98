import type { Failure } from '../errors/failure.ts'
import type { Generation, Placement, RequestId } from '../ids.ts'
import type { PickNote } from '../pick/note.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import type { SwapTimings } from '../schedule/swap.ts'

/** One step in a request's life; `at` is on the clock of the events, in milliseconds. */
export type TimelineStep = { readonly at: number } & (
  | { readonly type: 'received' }
  /** It waits behind `ahead` others of its model. */
  | { readonly type: 'queued'; readonly ahead: number }
  /** Why it waited from here until the next step. */
  | { readonly type: 'blocked'; readonly cause: WaitCause }
  | {
      readonly type: 'swap-started'
      readonly generation: Generation
      readonly placement: Placement
      readonly evict: readonly string[]
      /** Absent: somebody asked for the model. `restore`: it comes back by itself. */
      readonly reason?: 'restore'
    }
  | {
      readonly type: 'swap-ended'
      readonly generation: Generation
      readonly outcome: 'ready' | 'failed' | 'aborted'
      /** How its time is divided, in this order. */
      readonly timings: SwapTimings
    }
  | {
      readonly type: 'granted'
      readonly placement: Placement
      readonly reason: string
      /** How it was chosen among several replicas. */
      readonly pick?: readonly PickNote[]
    }
  /** The attempt failed before any answer; it waits again in its old place. */
  | { readonly type: 'requeued' }
  | { readonly type: 'first-byte' }
  | { readonly type: 'rejected'; readonly failure: Failure }
  | { readonly type: 'cancelled' }
  | { readonly type: 'done' }
)

export interface RequestTimeline {
  readonly request: RequestId
  readonly steps: readonly TimelineStep[]
}
