import { request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { once } from 'node:events'

// Node's own client instead of undici: that one takes longer to load (100 ms) than a command takes to be answered.

export interface HttpRequest {
  readonly origin: string
  readonly method: string
  /** Path and query, sent as they are. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Certificates to trust besides the usual ones. */
  readonly ca: string | undefined
}

/** A machine that answers at all accepts sooner; the system itself would try for two minutes. */
const CONNECT_TIMEOUT_MS = 5_000

/** Sends a request without a body; resolves with the head of the answer. */
export const send = async ({ origin, method, path, headers, signal, ca }: HttpRequest): Promise<IncomingMessage> => {
  const { protocol, hostname, port } = new URL(origin)
  const request = protocol === 'https:' ? (await import('node:https')).request : plainRequest
  const sent = request({
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port || undefined,
    method,
    path,
    headers: { ...headers, ...(method === 'GET' ? {} : { 'content-length': '0' }) },
    // One connection a request: nothing is left open when a command ends
    agent: false,
    signal,
    ...(ca === undefined || protocol !== 'https:' ? {} : { ca: [...(await import('node:tls')).rootCertificates, ca] }),
  })
  const limit = setTimeout(() => sent.destroy(connectTimedOut()), CONNECT_TIMEOUT_MS)
  sent.once('socket', (socket) => {
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(limit))
  })
  try {
    sent.end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return response
  } finally {
    clearTimeout(limit)
  }
}

const connectTimedOut = (): Error => Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })
