import { LswapError } from '@lswap/core'
import type { ForwardRequest } from './exchange.ts'

/** How the engine is told where the body ends; a number is its exact length. */
export type RequestFraming = number | 'chunked' | 'none'

/**
 * A body that is all there gets its length, also when the client sent it chunked: every engine understands that.
 * Throws `invalid_request` when the parts contradict the announced length.
 */
export const requestFraming = ({ method, body }: ForwardRequest): RequestFraming => {
  const held = heldBytes(body.held)
  if (body.length !== undefined) {
    if (held > body.length || (body.rest === undefined && held < body.length)) {
      throw new LswapError({
        code: 'invalid_request',
        message: `the request body has ${held} bytes where Content-Length says ${body.length}`,
      })
    }
    return body.length
  }
  if (body.rest !== undefined) return 'chunked'
  return held > 0 || expectsBody(method) ? held : 'none'
}

export const heldBytes = (held: readonly Uint8Array[]): number => {
  let bytes = 0
  for (const part of held) bytes += part.byteLength
  return bytes
}

// Servers have waited for a body that never came when one of these had no Content-Length.
const expectsBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'
