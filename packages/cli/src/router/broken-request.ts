import type { Failure } from '@lswap/core'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorText } from './answer/error-text.ts'

export interface Place {
  /** Another request on the connection is to be answered. */
  readonly isAnswering: boolean
  /** Of the request whose body is broken; `/` when not even its head could be read. */
  readonly path: string
}

/** Answers what is not HTTP, and closes. While another request is to be answered it only closes: this would be taken for that answer. */
export const answerBrokenRequest = (
  error: Pick<NodeJS.ErrnoException, 'code'>,
  socket: Duplex,
  { isAnswering, path }: Place,
): void => {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const status = STATUSES[error.code ?? ''] ?? 400
  const failure: Failure = { code: 'invalid_request', message: MESSAGES[status] ?? 'The request is not valid HTTP.' }
  const body = errorText(path, failure)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  // Not only `end`: half-closed by us, the client could keep it open for ever
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const MESSAGES: Readonly<Record<number, string>> = {
  408: 'The header was not complete in time.',
  431: 'The header is too large.',
}
