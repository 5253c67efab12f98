import type { Swap, SwapResult, SwapTimings } from '@lswap/core'
import { Counter, Histogram, type Registry } from 'prom-client'
import { SECONDS } from './seconds.ts'

export interface SwapMetrics {
  count(swap: Swap, result: SwapResult): void
}

const PHASES: readonly (readonly [phase: string, of: keyof SwapTimings])[] = [
  ['stop', 'stopMs'],
  ['memory', 'memoryMs'],
  ['load', 'loadMs'],
]

export const createSwapMetrics = (registers: Registry[]): SwapMetrics => {
  const swaps = new Counter({
    name: 'lswap_swaps_total',
    help: 'Swaps that ended, by the model that was to be loaded, its host, and what became of it.',
    labelNames: ['model', 'host', 'result'],
    registers,
  })
  const duration = new Histogram({
    name: 'lswap_swap_duration_seconds',
    help: 'Time of swaps that ended ready, by phase: stop what must go, wait for its memory, load.',
    labelNames: ['model', 'phase'],
    buckets: SECONDS,
    registers,
  })
  return {
    count: ({ model, host }, { outcome, timings }) => {
      swaps.inc({ model, host, result: outcome })
      // Of one that failed or was given up the phases say nothing about how long a swap takes
      if (outcome !== 'ready') return
      for (const [phase, of] of PHASES) duration.observe({ model, phase }, timings[of] / 1000)
    },
  }
}
