import { Counter, type Registry } from 'prom-client'
import type { Ended } from '../metrics.ts'
import { addHistogram, type Distribution } from './distribution.ts'
import { ModelSeries } from './model-series.ts'

/** What every name that is not in the configuration counts as, so that no client can make the labels grow. */
const OTHER = 'other'

/** Counts requests for models. Counting is done for each, reading now and then: the page is made of plain numbers when it is read. */
export const createRequestMetrics = (registry: Registry): ((ended: Ended) => void) => {
  const models = new Map<string, ModelSeries>()
  const failures = new Map<string, number>()
  const registers = [registry]

  const requests = new Counter({
    name: 'lswap_requests_total',
    help: 'Requests that ended, by model and HTTP status (499: the client left).',
    labelNames: ['model', 'code'],
    registers,
    collect: () => {
      requests.reset()
      for (const [model, { codes }] of models) {
        for (const [code, count] of codes) requests.inc({ model, code: String(code) }, count)
      }
    },
  })
  const rejected = new Counter({
    name: 'lswap_rejected_total',
    help: 'Requests that lswap itself failed, by error code.',
    labelNames: ['code'],
    registers,
    collect: () => {
      rejected.reset()
      for (const [code, count] of failures) rejected.inc({ code }, count)
    },
  })
  addHistogram({
    name: 'lswap_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    registry,
    series: () => [...models].map(([model, { duration }]) => [{ model }, duration] as const),
  })
  const tokens = new Counter({
    name: 'lswap_tokens_total',
    help: 'Tokens that engines told of: prompt (all of it), cached (those of it that were not computed anew), completion; and completion_estimated, the pieces of streams whose engine told nothing.',
    labelNames: ['model', 'kind'],
    registers,
    collect: () => {
      tokens.reset()
      for (const [model, series] of models) {
        for (const [kind, count] of series.tokens) tokens.inc({ model, kind }, count)
      }
    },
  })
  addHistogram({
    name: 'lswap_time_to_first_token_seconds',
    help: 'From the head of a request to the first token of its answer: when a stream began, or by the timings of an answer that came whole.',
    registry,
    series: () =>
      [...models].flatMap(([model, { firstToken }]) => (firstToken ? [[{ model }, firstToken] as const] : [])),
  })
  addHistogram({
    name: 'lswap_queue_wait_seconds',
    help: 'How long requests waited for their grant.',
    registry,
    series: () => [...models].flatMap(([model, { waits }]) => waitsOf(model, waits)),
  })

  const seriesOf = (model: string): ModelSeries => {
    const known = models.get(model)
    if (known !== undefined) return known
    const made = new ModelSeries()
    models.set(model, made)
    return made
  }

  return ({ facts, status, durationMs }) => {
    if (facts.route !== 'inference') return
    const { model = OTHER, failure, waitMs, priority = 0 } = facts
    const series = seriesOf(model)
    series.addRequest(status, durationMs / 1000)
    if (failure !== undefined) failures.set(failure.code, (failures.get(failure.code) ?? 0) + 1)
    if (waitMs !== undefined) series.addWait(priority, waitMs / 1000)
    if (facts.tokens !== undefined) series.addTokens(facts.tokens())
  }
}

const waitsOf = (model: string, waits: ReadonlyMap<string, Distribution>) =>
  [...waits].map(([band, wait]) => [{ model, band }, wait] as const)
