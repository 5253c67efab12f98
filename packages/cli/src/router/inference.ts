import type { Failure } from '@lswap/core'
import { ownHeaders } from './answer/own-headers.ts'
import { sendFailure } from './answer/send.ts'
import type { Call } from './call.ts'
import type { ExchangeOptions } from './inference/asked.ts'
import { exchange } from './inference/exchange.ts'
import type { InferenceRoute } from './inference-route.ts'
import { isRead, sourceOf } from './model-source.ts'
import { readHeaders } from './request-headers.ts'
import { limitOf, neverLoads } from './route-rules.ts'

export interface InferenceOptions extends ExchangeOptions {
  /** Paths of engines that never load their model. */
  readonly ignorePaths: readonly RegExp[]
}

/** Serves a request that names its model, in its body or beside it. */
export const serveInference = (options: InferenceOptions, call: Call, route: InferenceRoute): void => {
  const { modelIn } = route
  const most = limitOf(options.limits, modelIn)
  const isOpaque = typeof modelIn === 'object' && !isRead(options.catalog, modelIn)
  const reading = readHeaders(call.req.headers, most, { isOpaque })
  if (!reading.ok) return refuse(call, reading.failure)
  const source = sourceOf(options, call, route)
  if (source.type === 'failed') return refuse(call, source.failure)
  call.proceed()
  // What only looks at a model never loads it
  const asked = neverLoads(options.ignorePaths, modelIn) ? { ...reading.asked, noLoad: true } : reading.asked
  return exchange(options, call, { route, asked, source, most })
}

const refuse = (call: Call, failure: Failure): void => {
  call.facts.failure = failure
  sendFailure(call, failure, ownHeaders(call))
}
