import { once } from 'node:events'
import { connect, type AddressInfo, type Server } from 'node:net'
import type { LiveCall } from '../../../../src/router/live-call.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../../../src/router/limits.ts'
import type { ClientRequest, ClientResponse } from '../../../../src/router/messages.ts'
import { PlainResponse } from '../../../../src/router/plain/response.ts'
import { createHttpServer } from '../../../../src/router/server.ts'
import { createSignal } from '../../exactness/support/signal.ts'
import { createWire } from '../../exactness/support/wire.ts'

export interface Test {
  teardown(end: () => void): void
}

export interface Taken {
  readonly req: ClientRequest
  readonly res: ClientResponse
  readonly isPlain: boolean
  wentAway: boolean
}

export const dial = async (t: Test, server: Server) => {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const wire = createWire(connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }))
  t.teardown(() => void wire.socket.destroy())
  return wire
}

/** A listener whose requests are taken here, and answered by the test. */
export const startServer = (t: Test, take: (one: Taken, n: number) => void = () => {}) => {
  const signal = createSignal()
  const taken: Taken[] = []
  const accept = ({ req, res }: { readonly req: ClientRequest; readonly res: ClientResponse }): LiveCall => {
    const one: Taken = { req, res, isPlain: res instanceof PlainResponse, wentAway: false }
    take(one, taken.push(one) - 1)
    signal.happened()
    const gone = (): void => {
      one.wentAway = true
      signal.happened()
    }
    return { call: { req, res, path: '/' }, gone } as unknown as LiveCall
  }
  const server = createHttpServer({ limits: DEFAULT_ROUTER_LIMITS, tls: undefined, accept })
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const nth = (n: number): Promise<Taken> => signal.until(`request ${n}`, () => taken[n])
  return { server, nth, signal, taken }
}

export const REQUEST = 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
export const CHUNKED = 'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'

export const answer = (res: ClientResponse, text: string): void => {
  res.writeHead(200, { 'Content-Length': text.length })
  res.end(text)
}
