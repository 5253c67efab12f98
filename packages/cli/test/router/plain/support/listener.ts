import { once } from 'node:events'
import { connect, type AddressInfo, type Server } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { LiveCall } from '../../../../src/router/live-call.ts'
import { systemClock } from '../../../../src/router/clock.ts'
import { createParting } from '../../../../src/router/parting.ts'
import { DEFAULT_ROUTER_LIMITS } from '../../../../src/router/limits.ts'
import type { ClientRequest, ClientResponse } from '../../../../src/router/messages.ts'
import { PlainResponse } from '../../../../src/router/plain/response.ts'
import { createHttpServer } from '../../../../src/router/server.ts'
import type { TlsIdentity } from '../../../../src/router/tls.ts'
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

/** `identity`: of a listener that wants TLS. */
export const dial = async (t: Test, server: Server, identity?: TlsIdentity) => {
  if (!server.listening) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const place = { port: (server.address() as AddressInfo).port, host: '127.0.0.1' }
  const socket = identity === undefined ? connect(place) : connectTls({ ...place, ca: identity.cert })
  // What is sent while both sides agree comes in other pieces
  if (identity !== undefined) await once(socket, 'secureConnect')
  const wire = createWire(socket)
  t.teardown(() => void wire.socket.destroy())
  return wire
}

export const partingOf = () => createParting({ clock: systemClock(), limits: () => DEFAULT_ROUTER_LIMITS })

/** A listener whose requests are taken here, and answered by the test. */
export const startServer = (t: Test, take: (one: Taken, n: number) => void = () => {}, tls?: TlsIdentity) => {
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
  const server = createHttpServer({ limits: DEFAULT_ROUTER_LIMITS, parting: partingOf(), tls, accept })
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
