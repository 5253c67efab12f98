import type { IncomingHttpHeaders } from 'node:http'
import type { ClientResponse } from '../messages.ts'

/** Whether pages of an origin may send requests; `null`, the origin of files and sandboxes, is nobody's. */
export const isAllowedOrigin = (origin: string | undefined, cors: readonly string[]): origin is string =>
  origin !== undefined && cors.includes(origin.toLowerCase())

/** What a page may read of an answer besides its body. */
const EXPOSED = [
  'Retry-After',
  'Server-Timing',
  'X-Request-Id',
  'X-Should-Retry',
  'X-Lswap-Request-Id',
  'X-Lswap-Model',
  'X-Lswap-Host',
  'X-Lswap-Wait-Ms',
].join(', ')

/** On every answer that comes, errors and streams too: without it a page would not see why it was refused. */
export const allowOrigin = (res: ClientResponse, origin: string): void => {
  res.setHeader('Access-Control-Allow-Origin', origin)
  res.setHeader('Access-Control-Expose-Headers', EXPOSED)
  res.setHeader('Vary', 'Origin')
}

export const isPreflight = (method: string, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Ten minutes: after a change of the configuration nobody waits longer. */
const MAX_AGE_S = 600

export const OWN_METHODS = 'GET, HEAD, POST, PUT'
/** What engines answer. */
export const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Answers a browser that asks before it sends. It sends no key with this, and learns nothing that is not the same for all. */
export const answerPreflight = (res: ClientResponse, headers: IncomingHttpHeaders, methods: string): void => {
  const asked = headers['access-control-request-headers'] ?? ''
  res.writeHead(204, {
    'Access-Control-Allow-Methods': methods,
    // A `*` would not stand for Authorization
    ...(/^[\w\-!#$%&'*+.^`|~, \t]{1,2000}$/.test(asked) ? { 'Access-Control-Allow-Headers': asked } : {}),
    ...(headers['access-control-request-private-network'] === 'true'
      ? { 'Access-Control-Allow-Private-Network': 'true' }
      : {}),
    'Access-Control-Max-Age': String(MAX_AGE_S),
    'Cache-Control': 'no-store',
  })
  res.end()
}

const IS_CORS = /^access-control-/i

/** An engine's own word on origins is dropped where ours was given: two of them a browser takes for none. */
export const withoutCors = (raw: readonly string[]): string[] =>
  raw.flatMap((name, at) => (at % 2 === 0 && !IS_CORS.test(name) ? [name, raw[at + 1] ?? ''] : []))
