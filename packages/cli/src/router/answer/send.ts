import { ERRORS, type Failure } from '@lswap/core'
import { STATUS_CODES } from 'node:http'
import type { Call } from '../call.ts'
import type { ClientRequest, ClientResponse } from '../messages.ts'
import { messageOf, retryHeaders } from './error-body.ts'
import { errorText } from './error-text.ts'

type Headers = Readonly<Record<string, string>>

export interface Document {
  readonly status: number
  readonly contentType: string
  readonly text: string
  readonly headers?: Headers
}

/** A whole answer of our own. */
export const sendDocument = (res: ClientResponse, { status, contentType, text, headers }: Document): void => {
  res.writeHead(status, STATUS_CODES[status] ?? '', {
    ...headers,
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  res.end(text)
}

export const sendJson = (res: ClientResponse, status: number, value: unknown): void =>
  sendDocument(res, { status, contentType: 'application/json; charset=utf-8', text: JSON.stringify(value) })

/** Whether a person at a terminal asks, who wants no JSON. */
export const wantsText = ({ headers }: Pick<ClientRequest, 'headers'>): boolean =>
  headers.accept?.trim().toLowerCase().startsWith('text/plain') ?? false

/** A failure before anything was sent: as JSON in the shape of its path, or as text for who asks for that. */
export const sendFailure = (
  { req, res, path }: Pick<Call, 'req' | 'res' | 'path'>,
  failure: Failure,
  headers: Headers = {},
): void => {
  const status = ERRORS[failure.code].status
  const all = { ...headers, ...retryHeaders(failure) }
  if (wantsText(req)) {
    sendDocument(res, {
      status,
      contentType: 'text/plain; charset=utf-8',
      text: `${messageOf(failure)}\n`,
      headers: all,
    })
    return
  }
  const text = errorText(path, failure)
  sendDocument(res, { status, contentType: 'application/json; charset=utf-8', text, headers: all })
}
