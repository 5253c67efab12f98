import type { Failure } from '@lswap/core'
import { ConnectTimeout } from './connection.ts'

export const brokenHttp = (authority: string, what: string): Failure => ({
  code: 'upstream_died',
  message: `the engine at ${authority} answered with broken HTTP: ${what}`,
})

/** Why a connection ended before the answer was complete. `answered`: a part of the answer had come. */
export const lostConnection = (authority: string, answered: boolean, error: Error | undefined): Failure => {
  if (answered) {
    return { code: 'upstream_died', message: `the engine at ${authority} ended in the middle of its answer` }
  }
  return { code: 'upstream_unreachable', message: `the engine at ${authority} ${unanswered(error)}` }
}

const unanswered = (error: Error | undefined): string => {
  if (error === undefined) return 'closed the connection before any answer'
  if (error instanceof ConnectTimeout) return `did not answer: connection ${error.message}`
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  if (code === 'ECONNREFUSED') return 'refused the connection'
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset the connection before any answer'
  return `can not be reached: ${code}`
}

export const silent = (authority: string): Failure => ({
  code: 'upstream_timeout',
  message: `the engine at ${authority} did not begin its answer in time`,
  hint: 'Raise timeouts.responseHeader of the model, or leave it out: then an answer may take as long as it takes.',
})

/** The client's part of the exchange ended before its body was complete. */
export const clientLeft = (): Failure => ({
  code: 'cancelled',
  message: 'the client left before its request body was complete',
})

export const bodyTooLong = (length: number): Failure => ({
  code: 'invalid_request',
  message: `the request body is longer than the ${length} bytes that Content-Length says`,
})
