import type { Swap, SwapResult } from '@lswap/core'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { CallFacts } from './call.ts'
import type { RunLoop } from './loop.ts'
import type { Measured } from './fleet/measured.ts'
import { addDeviceMetrics } from './metrics/device-metrics.ts'
import { addHeldMetrics, type Held } from './metrics/held-metrics.ts'
import { addProcessMetrics, type AskProcesses } from './metrics/process-metrics.ts'
import { addSchedulerMetrics } from './metrics/scheduler-metrics.ts'
import { createReloadMetrics } from './metrics/reload-metrics.ts'
import { createRequestMetrics } from './metrics/request-metrics.ts'
import { createSwapMetrics } from './metrics/swap-metrics.ts'

/** One request that ended, as metrics count it. */
export interface Ended {
  readonly facts: CallFacts
  readonly status: number
  readonly durationMs: number
}

export interface Metrics {
  count(ended: Ended): void
  countSwap(swap: Swap, result: SwapResult): void
  countReload(ok: boolean): void
  /** The page that Prometheus reads. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
}

export interface MetricsSources {
  readonly loop: Pick<RunLoop, 'view' | 'stats'>
  readonly processes: AskProcesses
  readonly measured: () => Promise<Measured>
  readonly now: () => number
  readonly held: Held
}

export const createMetrics = ({ loop, processes, measured, now, held }: MetricsSources): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const count = createRequestMetrics(registry)
  const swaps = createSwapMetrics(registers)
  addSchedulerMetrics(loop, registers)
  addHeldMetrics(held, registers)
  addProcessMetrics(processes, registers)
  addDeviceMetrics(measured, registers, now)
  let hasDefaults = false
  let pending: Promise<string> | undefined
  return {
    count,
    countSwap: (swap, result) => swaps.count(swap, result),
    countReload: createReloadMetrics(registers),
    page: async () => {
      // They cost an observer and a histogram: only for who reads them
      if (!hasDefaults) collectDefaultMetrics({ register: registry })
      hasDefaults = true
      // Milliseconds of work: who asks meanwhile gets the same page
      pending ??= registry.metrics().finally(() => {
        pending = undefined
      })
      return { contentType: registry.contentType, text: await pending }
    },
  }
}
