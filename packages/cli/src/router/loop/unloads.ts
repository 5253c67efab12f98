import { LswapError, unloadId, type DrainLimit, type Failure, type ModelId } from '@lswap/core'
import type { StopOutcome, UnloadId } from '@lswap/core'
import type { EventQueue } from './event-queue.ts'

export interface UnloadOptions {
  readonly drainMs: DrainLimit
  readonly force: boolean
}

/** Those who wait for an unload. */
export interface Unloads {
  /** Resolves when the processes are gone, or are known to be stuck. */
  ask(targets: readonly ModelId[] | 'all', options: UnloadOptions): Promise<readonly StopOutcome[]>
  answer(unload: UnloadId, outcomes: readonly StopOutcome[]): void
  /** No decision on it will come. */
  fail(unload: UnloadId, failure: Failure): void
}

interface Asker {
  readonly resolve: (outcomes: readonly StopOutcome[]) => void
  readonly reject: (error: Error) => void
}

export const createUnloads = (queue: EventQueue): Unloads => {
  const askers = new Map<UnloadId, Asker>()
  let asked = 0
  return {
    ask: (targets, { drainMs, force }) =>
      new Promise((resolve, reject) => {
        const unload = unloadId((asked += 1))
        askers.set(unload, { resolve, reject })
        queue.post({ type: 'unload-asked', unload, targets, drainMs, force })
      }),
    answer: (unload, outcomes) => {
      askers.get(unload)?.resolve(outcomes)
      askers.delete(unload)
    },
    fail: (unload, failure) => {
      askers.get(unload)?.reject(new LswapError(failure))
      askers.delete(unload)
    },
  }
}
