import type { Failure } from '@lswap/core'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorText } from './answer/error-text.ts'
import type { LiveCall } from './live-call.ts'
import type { Parting } from './parting.ts'

export interface Place {
  /** Of requests on the connection: none was begun, one is to be answered still, or all are and can not be taken back. */
  readonly answers: 'none' | 'to come' | 'written'
  /** Of the request whose body is broken; `/` when not even its head could be read. */
  readonly path: string
  readonly parting: Pick<Parting, 'end' | 'isEnding'>
}

/** Of what was asked on a connection before something that is no HTTP. */
export const answersOf = (own: readonly LiveCall[]): Place['answers'] => {
  if (!own.some(({ call }) => call.res.headersSent || call.req.complete)) return 'none'
  return own.every(({ call }) => call.res.writableEnded) ? 'written' : 'to come'
}

/** Answers what is not HTTP, and closes. While another request is to be answered it only closes: this would be taken for that answer. */
export const answerBrokenRequest = (
  error: Pick<NodeJS.ErrnoException, 'code'>,
  socket: Socket,
  { answers, path, parting }: Place,
): void => {
  // What is still sent behind the answer is told again and again
  if (parting.isEnding(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable || answers === 'to come') {
    socket.destroy()
    return
  }
  if (answers === 'written') return parting.end(socket)
  const status = STATUSES[error.code ?? ''] ?? 400
  const failure: Failure = { code: 'invalid_request', message: MESSAGES[status] ?? 'The request is not valid HTTP.' }
  const body = errorText(path, failure)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  parting.end(socket)
}

const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const MESSAGES: Readonly<Record<number, string>> = {
  408: 'The header was not complete in time.',
  431: 'The header is too large.',
}
