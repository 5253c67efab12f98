import type { Failure } from '../errors/failure.ts'
import type { Epoch, Generation, Placement, RequestId, UnloadId } from '../ids.ts'
import type { DrainLimit } from './options.ts'
import type { StopOutcome, Swap } from './swap.ts'

/** Imperatives for the loop, carried out in order. */
export type Command =
  /** Forward the request to the process that started as `epoch`. */
  | { readonly type: 'grant'; readonly request: RequestId; readonly placement: Placement; readonly epoch: Epoch }
  | { readonly type: 'reject'; readonly request: RequestId; readonly failure: Failure }
  /** End a granted request that is passive, as its process is told to stop; its `serve-done` still comes. May come twice. */
  | { readonly type: 'close'; readonly request: RequestId; readonly failure: Failure }
  | {
      readonly type: 'start-swap'
      readonly swap: Swap
      /** Absent: somebody asked for the model. `restore`: it comes back by itself. */
      readonly reason?: 'restore'
    }
  /** Give up a load; the swap itself still ends in exactly one `swap-done`. */
  | { readonly type: 'abort-swap'; readonly generation: Generation }
  | {
      readonly type: 'stop'
      readonly generation: Generation
      readonly placements: readonly Placement[]
      readonly drainMs: DrainLimit
      readonly reason: 'unload' | 'idle' | 'removed' | 'changed'
    }
  /** Every target of the unload has stopped, or is stuck. */
  | { readonly type: 'answer-unload'; readonly unload: UnloadId; readonly outcomes: readonly StopOutcome[] }
