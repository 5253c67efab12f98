import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { lastResponse } from './last-response.ts'
import type { Switching } from './proxy.ts'

/** In PEM. */
export interface TlsIdentity {
  readonly cert: string
  readonly key: string
}

/** Longer than any client of ours keeps one: it is never closed under a request. */
const KEEP_ALIVE_MS = 75_000
/** A router's head may have 32 KiB, and ours come on top. */
const MAX_HEADER_BYTES = 64 * 1024
const HEADERS_MS = 10_000

type Answer = (req: IncomingMessage, res: ServerResponse, switching?: Switching) => void

/** One listener: node:http parses and bounds heads; who goes is noticed here. */
export const listenerFor = (tls: TlsIdentity | undefined, answer: Answer): Server => {
  const switched = new WeakSet<Socket>()
  const settings = {
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    // A body may take as long as its client does
    requestTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
  }
  const server = tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls })
  server.maxHeadersCount = 0
  server.timeout = 0
  server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    // After a switch of protocols one side may end before the other
    socket.allowHalfOpen = true
    // No client of ours ends its side before it has its answer: it is gone, and its engine must hear that
    socket.on('end', () => {
      if (!switched.has(socket)) socket.destroy()
    })
  })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => answer(req, res))
  server.on('upgrade', (req: IncomingMessage, socket: Socket, early: Buffer) => {
    // node:http is done with the connection, also with its errors
    socket.on('error', () => {})
    const onSwitched = (): void => void switched.add(socket)
    answer(req, lastResponse(req, socket), { socket, early, onSwitched })
  })
  return server
}
