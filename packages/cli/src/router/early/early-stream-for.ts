import type { ModelConfig } from '@lswap/core'
import type { InferenceRoute } from '../inference-route.ts'
import type { FoundModel } from '../model-name.ts'
import { dialectOf } from './dialect.ts'
import { createEarlyStream, type EarlyOptions, type EarlyStream } from './early-stream.ts'
import { earlyWish } from './wish.ts'

interface Asking extends Pick<EarlyOptions, 'call' | 'answer' | 'lookout' | 'clock'> {
  readonly route: InferenceRoute
}

/** What a stream hears before its engine says something; undefined: it is none, or nobody wishes that. */
export const earlyStreamFor = (
  { call, route, answer, lookout, clock }: Asking,
  model: ModelConfig,
  found: FoundModel | undefined,
): EarlyStream | undefined => {
  const { streams } = route
  if (found?.stream !== true || streams === undefined) return undefined
  const wish = earlyWish({ streams, headers: call.req.headers, model })
  if (wish === undefined) return undefined
  const dialect = dialectOf({ streams, id: call.id, model: found.model, startedAt: call.startedAt })
  return createEarlyStream({ wish, call, answer, dialect, lookout, clock })
}
