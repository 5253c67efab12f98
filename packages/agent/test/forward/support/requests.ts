import type { Readable } from 'node:stream'
import type { ForwardRequest } from '../../../src/forward/exchange.ts'

export const get = (path = '/'): ForwardRequest => ({
  method: 'GET',
  path,
  headers: [],
  body: { length: undefined, held: [], rest: undefined },
})

export const post = (body: string, headers: readonly string[] = []): ForwardRequest => ({
  method: 'POST',
  path: '/v1/chat/completions',
  headers,
  body: { length: Buffer.byteLength(body), held: [Buffer.from(body)], rest: undefined },
})

export const upload = (
  rest: Readable,
  length: number | undefined,
  held: readonly Uint8Array[] = [],
): ForwardRequest => ({
  method: 'POST',
  path: '/v1/audio/transcriptions',
  headers: [],
  body: { length, held, rest },
})

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
