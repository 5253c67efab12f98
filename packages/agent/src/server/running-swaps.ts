import type { Generation, SwapResult } from '@lswap/core'
import type { SwapLine } from '@lswap/core/protocol'
import type { SwapProgress } from '../agent.ts'

/** One swap, for everybody who asks for it. */
export interface TrackedSwap {
  readonly term: number | undefined
  readonly result: Promise<SwapResult>
  isOver(): boolean
  /** Calls back with how far it came, and with each step from then on. */
  follow(listener: (progress: SwapProgress) => void): () => void
}

/** Swaps that run, and the answers of the last ones. */
export interface RunningSwaps {
  track(
    number: Generation,
    term: number | undefined,
    run: (onProgress: (progress: SwapProgress) => void) => Promise<SwapResult>,
  ): TrackedSwap
  find(number: Generation): TrackedSwap | undefined
  /** Those of terms before this one that still run. */
  before(term: number): readonly (readonly [Generation, TrackedSwap])[]
}

const KEPT = 256

export const createRunningSwaps = (): RunningSwaps => {
  const swaps = new Map<Generation, TrackedSwap>()

  const forget = (): void => {
    for (const [number, swap] of swaps) {
      if (swaps.size <= KEPT) return
      if (swap.isOver()) swaps.delete(number)
    }
  }

  return {
    find: (number) => swaps.get(number),
    before: (term) => [...swaps].filter(([, swap]) => !swap.isOver() && (swap.term ?? 0) < term),
    track: (number, term, run) => {
      const known = swaps.get(number)
      if (known !== undefined) return known
      const listeners = new Set<(progress: SwapProgress) => void>()
      // Of each kind the latest: who joins late needs no history of fractions
      const reached = new Map<string, SwapProgress>()
      let isOver = false
      const result = run((progress) => {
        reached.set(progress.type, progress)
        for (const listener of listeners) listener(progress)
      }).finally(() => {
        isOver = true
      })
      const swap: TrackedSwap = {
        term,
        result,
        isOver: () => isOver,
        follow: (listener) => {
          for (const progress of reached.values()) listener(progress)
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }
      swaps.set(number, swap)
      forget()
      return swap
    },
  }
}

export const progressLine = (progress: SwapProgress): SwapLine =>
  progress.type === 'waiting-memory'
    ? { type: 'waiting_memory' }
    : progress.type === 'stopping'
      ? { type: 'stopping', models: [...progress.models] }
      : progress

/** `endpoint`: where the engine listens now. */
export const resultLine = (result: SwapResult, endpoint: string | null): SwapLine => {
  const evictions = result.evictions.map((eviction) => ({ ...eviction }))
  const { timings } = result
  if (result.outcome === 'failed') return { type: 'failed', failure: result.failure, evictions, timings }
  if (result.outcome === 'aborted') return { type: 'aborted', evictions, timings }
  const { epoch, slots } = result
  return { type: 'ready', epoch, endpoint, ...(slots === undefined ? {} : { slots }), evictions, timings }
}
