import { Readable } from 'node:stream'
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

/** A body that the test hands out piece by piece. */
export const source = (): Readable => new Readable({ read: () => {} })

/** What follows the first head. */
export const bodyOf = (received: string): string => received.slice(received.indexOf('\r\n\r\n') + 4)

export const MIB = 1024 * 1024

export const STREAM = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
