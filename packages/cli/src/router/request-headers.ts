import { CRITICALITIES, parseCriticality, type Criticality, type Failure } from '@lswap/core'
import type { IncomingHttpHeaders } from 'node:http'
import { KEY_HEADERS } from './access/presented-keys.ts'
import type { Rights } from './access/rights.ts'

export interface AskedHeaders {
  /** Undefined: the model's. */
  readonly priority: number | undefined
  /** Undefined: the model's, else by priority. */
  readonly criticality: Criticality | undefined
  readonly noLoad: boolean
  /** How long its client waits for its turn; undefined: the model's limit. */
  readonly maxWaitMs: number | undefined
  /** Bytes of the body when announced. */
  readonly length: number | undefined
}

export type HeaderReading =
  | { readonly ok: true; readonly asked: AskedHeaders }
  | { readonly ok: false; readonly failure: Failure }

const MIN_PRIORITY = -100
const MAX_PRIORITY = 100

/** How large a body may be, and by which limit. */
export interface BodyLimit {
  readonly name: 'maxBodyBytes' | 'maxUploadBytes'
  readonly bytes: number
}

/** Everything that can be refused before the body. `isOpaque`: nothing of it is read here. */
export const readHeaders = (
  headers: IncomingHttpHeaders,
  limit: BodyLimit,
  { isOpaque }: { readonly isOpaque: boolean } = { isOpaque: false },
): HeaderReading => {
  const priorityText = headers['x-llamaswap-priority'] ?? headers['x-lswap-priority']
  const priority = readPriority(priorityText)
  if (priority === undefined && priorityText !== undefined) {
    return refuse({
      code: 'invalid_priority',
      message: 'The priority header is not an integer of at most nine digits.',
      hint: `Send a number from ${MIN_PRIORITY} (batch) to ${MAX_PRIORITY} (urgent), or leave it out.`,
    })
  }
  const criticality = readCriticality(headers['x-lswap-criticality'])
  if (criticality === INVALID) {
    return refuse({
      code: 'invalid_request',
      message: 'X-Lswap-Criticality names no criticality.',
      hint: `Send one of ${CRITICALITIES.join(', ')}, or leave it out.`,
    })
  }
  const maxWaitMs = readMaxWait(headers['x-lswap-max-wait'])
  if (maxWaitMs === INVALID) {
    return refuse({
      code: 'invalid_request',
      message: 'X-Lswap-Max-Wait is not a number of seconds.',
      hint: 'Send how many seconds the client waits for its turn, as 30 or 2.5, or leave it out.',
    })
  }
  const encoding = headers['content-encoding']
  if (!isOpaque && encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return refuse({
      code: 'invalid_request',
      message: `A body with Content-Encoding "${encoding.slice(0, 40)}" can not be read.`,
      hint: 'Send it uncompressed.',
    })
  }
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
  if (length !== undefined && length > limit.bytes) return refuse(bodyTooLarge(limit))
  return {
    ok: true,
    asked: { priority, criticality, noLoad: headers['x-lswap-no-load'] === '1', maxWaitMs, length },
  }
}

export const bodyTooLarge = ({ name, bytes }: BodyLimit): Failure => ({
  code: 'body_too_large',
  message: `The body is larger than ${name}, ${bytes} bytes.`,
})

const refuse = (failure: Failure): HeaderReading => ({ ok: false, failure })

const readPriority = (text: string | string[] | undefined): number | undefined => {
  if (typeof text !== 'string' || !/^[+-]?\d{1,9}$/.test(text)) return undefined
  // `+ 0` makes a 0 of −0
  return Math.min(Math.max(Number(text), MIN_PRIORITY), MAX_PRIORITY) + 0
}

const INVALID = Symbol('not a value of this header')

const readCriticality = (text: string | string[] | undefined): Criticality | undefined | typeof INVALID => {
  if (text === undefined) return undefined
  return (typeof text === 'string' ? parseCriticality(text) : undefined) ?? INVALID
}

const readMaxWait = (text: string | string[] | undefined): number | undefined | typeof INVALID => {
  if (text === undefined) return undefined
  return typeof text === 'string' && /^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1000) : INVALID
}

/**
 * What goes on to the engine, raw: everything but this product's own names, `Expect`, which was answered here, and the
 * key that was checked here. Where there are no keys, such headers are for the engine.
 */
export const headersToForward = (raw: readonly string[], { hasKey }: Pick<Rights, 'hasKey'>): readonly string[] => {
  const kept: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? ''
    if (isOurs(name.toLowerCase(), hasKey)) continue
    kept.push(name, raw[at + 1] ?? '')
  }
  return kept
}

const isOurs = (lower: string, hasKey: boolean): boolean =>
  lower.startsWith('x-lswap-') ||
  lower.startsWith('x-llamaswap-') ||
  lower === 'expect' ||
  (hasKey && KEY_HEADERS.has(lower))
