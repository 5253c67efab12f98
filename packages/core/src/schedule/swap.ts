import type { Failure } from '../errors/failure.ts'
import type { Epoch, Generation, HostId, ModelId, Placement } from '../ids.ts'

/** Stop `evict` on the host, wait for their memory, then start the model. */
export interface Swap {
  readonly generation: Generation
  readonly model: ModelId
  readonly host: HostId
  readonly evict: readonly ModelId[]
}

/**
 * What became of one process that had to go. `kept`: it was never told to stop and serves on (the start was
 * refused before anything was touched). `stuck`: it did not end and keeps its memory.
 */
export interface Eviction {
  readonly model: ModelId
  readonly outcome: 'stopped' | 'kept' | 'stuck'
  readonly failure?: Failure
}

/** Where the time of a swap went, in milliseconds. */
export interface SwapTimings {
  readonly stopMs: number
  readonly memoryMs: number
  readonly loadMs: number
}

/** The one answer to a swap. */
export type SwapResult = { readonly evictions: readonly Eviction[]; readonly timings: SwapTimings } & (
  | { readonly outcome: 'ready'; readonly epoch: Epoch; /** Slots that the engine reports. */ readonly slots?: number }
  | {
      readonly outcome: 'failed'
      readonly failure: Failure
      /** The host lived and let the order be: nobody knows what became of it. */
      readonly unanswered?: true
    }
  | { readonly outcome: 'aborted' }
)

/** The answer for one placement of a stop. */
export interface StopOutcome {
  readonly placement: Placement
  readonly outcome: 'stopped' | 'stuck'
  readonly failure?: Failure
}
