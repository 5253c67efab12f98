import type { ModelConfig } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'
import type { InferenceRoute } from '../inference-route.ts'
import type { ScannerOptions } from '../model-name.ts'

/** What a stream hears while it waits. */
export interface EarlyWish {
  /** Load and queue in events that its clients show; otherwise only in comments. */
  readonly tells: boolean
  /** Comments keep it alive. */
  readonly beats: boolean
}

/** `X-Lswap-Early`: 1 asks for an early head, 0 refuses one, all else says nothing. */
const asked = (headers: IncomingHttpHeaders): '0' | '1' | undefined => {
  const text = headers['x-lswap-early']
  return text === '0' || text === '1' ? text : undefined
}

/** Whether it matters for a body if its answer streams, which it may say behind the model's name. */
export const asksForStream = (
  { streams }: InferenceRoute,
  headers: IncomingHttpHeaders,
): 'always' | 'by-model' | 'never' => {
  const early = asked(headers)
  if (streams === undefined || early === '0') return 'never'
  return early === '1' ? 'always' : 'by-model'
}

/** Reads the whole object where the model has streams told. */
export const scanningForStreams = (
  scanning: ScannerOptions,
  models: readonly ModelConfig[],
  find: (name: string) => ModelConfig | undefined,
): ScannerOptions => {
  // Most files name neither, and are read no further than before
  if (!models.some((model) => isTold(model))) return scanning
  return {
    ...scanning,
    needsAll: (name) => {
      const model = find(name)
      return scanning.needsAll(name) || (model !== undefined && isTold(model))
    },
  }
}

const isTold = ({ sendLoadingState, heartbeat }: ModelConfig): boolean => sendLoadingState || heartbeat === true

export interface Asking {
  readonly streams: NonNullable<InferenceRoute['streams']>
  readonly headers: IncomingHttpHeaders
  readonly model: ModelConfig
}

/** What a request for a stream gets before the engine's answer; undefined: nothing. */
export const earlyWish = ({ streams, headers, model }: Asking): EarlyWish | undefined => {
  const early = asked(headers)
  if (early === '0') return undefined
  const tells = model.sendLoadingState && streams !== 'plain'
  const beats = model.heartbeat ?? (tells || early === '1')
  return tells || beats ? { tells, beats } : undefined
}
