import { bandOf, type Swap, type SwapResult } from '@lswap/core'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { CallFacts } from './call.ts'
import type { RunLoop } from './loop.ts'
import type { Measured } from './own/measured.ts'
import { addDeviceMetrics } from './metrics/device-metrics.ts'
import { addHeldMetrics, type Held } from './metrics/held-metrics.ts'
import { addProcessMetrics, type AskProcesses } from './metrics/process-metrics.ts'
import { addSchedulerMetrics } from './metrics/scheduler-metrics.ts'
import { createReloadMetrics } from './metrics/reload-metrics.ts'
import { createSwapMetrics } from './metrics/swap-metrics.ts'
import { SECONDS } from './metrics/seconds.ts'
import { createTokenMetrics } from './metrics/token-metrics.ts'

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

/** What every name that is not in the configuration counts as, so that no client can make the labels grow. */
const OTHER = 'other'

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
  const requests = new Counter({
    name: 'lswap_requests_total',
    help: 'Requests that ended, by model and HTTP status (499: the client left).',
    labelNames: ['model', 'code'],
    registers,
  })
  const rejected = new Counter({
    name: 'lswap_rejected_total',
    help: 'Requests that lswap itself failed, by error code.',
    labelNames: ['code'],
    registers,
  })
  const seconds = (name: string, help: string, labelNames: readonly string[]): Histogram =>
    new Histogram({ name, help, labelNames, buckets: SECONDS, registers })
  const duration = seconds('lswap_request_duration_seconds', 'From the head of a request to the end of its answer.', [
    'model',
  ])
  const tokens = createTokenMetrics(registers)
  const wait = seconds('lswap_queue_wait_seconds', 'How long requests waited for their grant.', ['model', 'band'])
  const swaps = createSwapMetrics(registers)
  addSchedulerMetrics(loop, registers)
  addHeldMetrics(held, registers)
  addProcessMetrics(processes, registers)
  addDeviceMetrics(measured, registers, now)
  let hasDefaults = false
  let pending: Promise<string> | undefined
  return {
    count: ({ facts, status, durationMs }) => {
      const { model = OTHER, failure, waitMs, priority = 0 } = facts
      if (facts.route !== 'inference') return
      requests.inc({ model, code: String(status) })
      if (failure !== undefined) rejected.inc({ code: failure.code })
      duration.observe({ model }, durationMs / 1000)
      if (waitMs !== undefined) wait.observe({ model, band: bandOf(priority) }, waitMs / 1000)
      if (facts.tokens !== undefined) tokens.count(model, facts.tokens())
    },
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
