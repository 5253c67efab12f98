import { BANDS } from '@lswap/core'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { CallFacts } from './call.ts'
import type { RunLoop } from './loop.ts'

/** One request that ended, as metrics count it. */
export interface Ended {
  readonly facts: CallFacts
  readonly status: number
  readonly durationMs: number
}

export interface Metrics {
  count(ended: Ended): void
  /** The page that Prometheus reads. */
  page(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** From a hot answer to a cold start of a large model. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900]

/** Labels come from the configuration only, so that no client can make them grow. */
export const createMetrics = (loop: Pick<RunLoop, 'view' | 'stats'>): Metrics => {
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
  const duration = new Histogram({
    name: 'lswap_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  })
  const wait = new Histogram({
    name: 'lswap_queue_wait_seconds',
    help: 'How long requests waited for their grant.',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  })
  addGauges(loop, registers)
  let hasDefaults = false
  return {
    count: ({ facts, status, durationMs }) => {
      const { model, failure, waitMs } = facts
      if (facts.route !== 'inference') return
      requests.inc({ model: model ?? 'other', code: String(status) })
      if (failure !== undefined) rejected.inc({ code: failure.code })
      if (model === undefined) return
      duration.observe({ model }, durationMs / 1000)
      if (waitMs !== undefined) wait.observe({ model }, waitMs / 1000)
    },
    page: async () => {
      // They cost an observer and a histogram: only for who reads them
      if (!hasDefaults) collectDefaultMetrics({ register: registry })
      hasDefaults = true
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

/** What the scheduler knows, read when somebody asks. */
const addGauges = (loop: Pick<RunLoop, 'view' | 'stats'>, registers: Registry[]): void => {
  const depth = new Gauge({
    name: 'lswap_queue_depth',
    help: 'Requests that wait, by band.',
    labelNames: ['band'],
    registers,
    collect: () => {
      const { bands } = loop.stats()
      for (const band of BANDS) depth.set({ band }, bands[band].depth)
    },
  })
  const inFlight = new Gauge({
    name: 'lswap_in_flight',
    help: 'Requests that a model serves now.',
    labelNames: ['model', 'host'],
    registers,
    collect: () => {
      for (const [model, view] of loop.view().models) {
        for (const { placement, inFlight: count } of view.placements)
          inFlight.set({ model, host: placement.host }, count)
      }
    },
  })
  const state = new Gauge({
    name: 'lswap_model_state',
    help: '1 for the state that a model is in.',
    labelNames: ['model', 'host', 'state'],
    registers,
    collect: () => {
      state.reset()
      for (const [model, view] of loop.view().models) {
        for (const { placement, phase } of view.placements) state.set({ model, host: placement.host, state: phase }, 1)
      }
    },
  })
}
