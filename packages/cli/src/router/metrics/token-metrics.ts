import { Counter, Histogram, type Registry } from 'prom-client'
import type { Tokens } from '../usage/metered.ts'
import { SECONDS } from './seconds.ts'

export interface TokenMetrics {
  count(model: string, tokens: Tokens): void
}

export const createTokenMetrics = (registers: Registry[]): TokenMetrics => {
  const total = new Counter({
    name: 'lswap_tokens_total',
    help: 'Tokens that engines told of: prompt (all of it), cached (those of it that were not computed anew), completion; and completion_estimated, the pieces of streams whose engine told nothing.',
    labelNames: ['model', 'kind'],
    registers,
  })
  const first = new Histogram({
    name: 'lswap_time_to_first_token_seconds',
    help: 'From the head of a request to the first token of its answer: when a stream began, or by the timings of an answer that came whole.',
    labelNames: ['model'],
    buckets: SECONDS,
    registers,
  })
  return {
    count: (model, { prompt, cached, completion, isEstimated, firstTokenMs }) => {
      if (prompt !== undefined) total.inc({ model, kind: 'prompt' }, prompt)
      if (cached !== undefined) total.inc({ model, kind: 'cached' }, cached)
      if (completion !== undefined)
        total.inc({ model, kind: isEstimated ? 'completion_estimated' : 'completion' }, completion)
      if (firstTokenMs !== undefined) first.observe({ model }, firstTokenMs / 1000)
    },
  }
}
