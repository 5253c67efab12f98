import type { Generation, ModelId, Swap, SwapResult } from '@lswap/core'
import { createKeptAnswers } from '../kept-answers.ts'

interface RunningSwap {
  readonly model: ModelId
  readonly controller: AbortController
}

/** Which orders were given: each runs once, however often it comes, and later ones cancel earlier ones. */
export interface OrderBook {
  /** The swap's answer, running it only the first time. `run` gets a signal that fires when it is cancelled. */
  swap(order: Swap, run: (signal: AbortSignal) => Promise<SwapResult>): Promise<SwapResult>
  /** The answer to another kind of order, running it only the first time. */
  once<Answer>(generation: Generation, run: () => Promise<Answer>): Promise<Answer>
  abort(generation: Generation): void
  /** Cancels swaps to these models that are older, also those that still come. */
  cancelOlder(models: readonly ModelId[], generation: Generation): void
  abortAll(): void
}

export const createOrderBook = (): OrderBook => {
  const running = new Map<Generation, RunningSwap>()
  const once = createKeptAnswers()
  const floors = new Map<ModelId, Generation>()

  const runSwap = async (order: Swap, run: (signal: AbortSignal) => Promise<SwapResult>): Promise<SwapResult> => {
    const controller = new AbortController()
    if (order.generation < (floors.get(order.model) ?? 0)) controller.abort()
    running.set(order.generation, { model: order.model, controller })
    try {
      return await run(controller.signal)
    } finally {
      running.delete(order.generation)
    }
  }

  return {
    swap: (order, run) => once(order.generation, () => runSwap(order, run)),
    once,
    abort: (generation) => running.get(generation)?.controller.abort(),
    cancelOlder(models, generation) {
      for (const model of models) if (generation > (floors.get(model) ?? 0)) floors.set(model, generation)
      for (const [older, { model, controller }] of running) {
        if (older < generation && models.includes(model)) controller.abort()
      }
    },
    abortAll() {
      for (const { controller } of running.values()) controller.abort()
    },
  }
}
