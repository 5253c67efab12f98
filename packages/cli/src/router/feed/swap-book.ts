import type { SwapState } from '@lswap/core/protocol'
import type { Generation, Swap, SwapResult } from '@lswap/core'
import type { SwapProgress } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import { toldFailure } from './told-failure.ts'

type Entry = Omit<SwapState, 'expectedLoadMs'>

/** Swaps that run, and a few that ended. */
export interface SwapBook {
  started(swap: Swap): void
  progressed(swap: Swap, progress: SwapProgress): void
  ended(swap: Swap, result: SwapResult): void
  /** The latest first. */
  all(expectedLoadMs: (swap: Entry) => number | null): SwapState[]
}

const BLANK = { fraction: null, loadingAt: null, endedAt: null, result: null, failure: null }

/** Ended ones that are remembered. */
const KEPT = 20

export const createSwapBook = (clock: Pick<Clock, 'now'>): SwapBook => {
  // In the order of their starts
  const entries = new Map<Generation, Entry>()

  const change = (generation: Generation, changes: Partial<Entry>): void => {
    const known = entries.get(generation)
    if (known !== undefined) entries.set(generation, { ...known, ...changes })
  }

  const forget = (): void => {
    const over = [...entries].filter(([, { endedAt }]) => endedAt !== null)
    for (const [generation] of over.slice(0, Math.max(0, over.length - KEPT))) entries.delete(generation)
  }

  return {
    started: ({ generation, model, host, evict }) => {
      const phase = evict.length > 0 ? 'stopping' : 'loading'
      const startedAt = Math.round(clock.now())
      entries.set(generation, { ...BLANK, generation, model, host, evict: [...evict], startedAt, phase })
    },
    progressed: ({ generation }, progress) => {
      if (progress.type === 'spawned' || progress.type === 'loading') {
        const loadingAt = entries.get(generation)?.loadingAt ?? Math.round(clock.now())
        const fraction = progress.type === 'loading' ? progress.fraction : undefined
        change(generation, { phase: 'loading', loadingAt, ...(fraction === undefined ? {} : { fraction }) })
      } else change(generation, { phase: progress.type })
    },
    ended: ({ generation }, result) => {
      const { outcome } = result
      const failure = toldFailure(result.outcome === 'failed' ? result.failure : undefined)
      change(generation, { endedAt: Math.round(clock.now()), result: outcome, failure })
      forget()
    },
    all: (expectedLoadMs) =>
      [...entries.values()]
        .map((entry) => Object.assign({ expectedLoadMs: expectedLoadMs(entry) }, entry))
        .toReversed(),
  }
}
