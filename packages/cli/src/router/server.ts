import { constants } from 'node:crypto'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RouterLimits } from './limits.ts'
import { resetNow, type LiveCall } from './live-call.ts'
import { answerBrokenRequest, answersOf } from './broken-request.ts'
import type { UpgradedSocket } from './call.ts'
import type { ClientRequest, ClientResponse } from './messages.ts'
import type { Parting } from './parting.ts'
import { createPlainConnections } from './plain/connections.ts'
import { isForEngine } from './upgrade/asked.ts'
import { readEarly } from './upgrade/early-bytes.ts'
import { lastResponse } from './upgrade/last-response.ts'
import { ordinaryHead } from './upgrade/ordinary.ts'
import type { TlsIdentity } from './tls.ts'

export interface ServerOptions {
  readonly limits: RouterLimits
  readonly parting: Parting
  /** Undefined: plain HTTP. */
  readonly tls: TlsIdentity | undefined
  /** Takes a request on; the call is told when its client goes. */
  readonly accept: (request: Accepted) => LiveCall
}

export interface Accepted {
  readonly req: ClientRequest
  readonly res: ClientResponse
  readonly awaitsContinue: boolean
  readonly upgraded: UpgradedSocket | undefined
}

/** Long enough for the pools of clients; proxies in front commonly keep theirs for 60 s. */
const KEEP_ALIVE_MS = 75_000
/** Twice Node's default: room for tokens, and a bound. */
const MAX_HEADER_BYTES = 32 * 1024
/** Node looks for overdue headers only this often. */
const CHECK_MS = 1_000
/** Ten thousand idle clients beside the waiting and running requests of a full router; an idle one costs some ten kilobytes. */
const MAX_CONNECTIONS = 16_384
/** Hardly a client sends a second request before the first is answered, and what is answered early must be kept. */
const MAX_UNANSWERED = 64
/** When a client that says nothing is asked whether it is still there: one that lost its power or network never tells. */
const PROBE_AFTER_MS = 30_000

/** Node lets a client agree on new keys three times in ten minutes, each as dear as a connection; no client of HTTP does. */
const TLS_OPTIONS = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION }

/**
 * One listener. Plain requests are read and answered by plain/; with all others node:http parses, orders answers and bounds headers,
 * and which of its clients are still there is kept here.
 */
export const createHttpServer = ({ limits, parting, tls, accept }: ServerOptions): Server => {
  const calls = new WeakMap<Socket, LiveCall[]>()
  const ending = new WeakSet<Socket>()
  /** Those that node:http does not read any more: it does not end them either. */
  const upgrading = new Set<Socket>()

  /** What node:http read. */
  const take = (accepted: Accepted): void => {
    const { req, res } = accepted
    // Behind a request that is the last, or is broken, nothing counts; node:http hands on what came in the same piece
    if (ending.has(req.socket)) return void req.resume()
    const own = calls.get(req.socket)
    if (own !== undefined && own.length >= MAX_UNANSWERED) return void req.socket.destroy()
    const live = accept(accepted)
    if (!res.shouldKeepAlive) ending.add(req.socket)
    if (own === undefined) return undefined
    own.push(live)
    res.on('close', () => {
      // Nearly always the only one
      if (own.length === 1 && own[0] === live) own.pop()
      else if (own.includes(live)) own.splice(own.indexOf(live), 1)
    })
    return undefined
  }

  const options = {
    noDelay: true,
    headersTimeout: limits.headersTimeoutMs,
    // A body may take as long as it takes, as long as it goes on (body/stall.ts)
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    connectionsCheckingInterval: CHECK_MS,
    // Checked with the rest of the head, and refused in the shape of every error
    requireHostHeader: false,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  }
  const server =
    tls === undefined
      ? createServer(options)
      : createTlsServer({ ...options, ...tls, ...TLS_OPTIONS, handshakeTimeout: limits.headersTimeoutMs })
  server.maxConnections = MAX_CONNECTIONS
  // Beyond a number of headers Node would leave the rest out, silently; their bytes are bounded
  server.maxHeadersCount = 0
  server.timeout = limits.answerStallMs
  // With TLS a connection is one once both sides agreed, and requests know it by that
  const connected = tls === undefined ? 'connection' : 'secureConnection'
  const [parse] = server.listeners(connected) as ((socket: Socket) => void)[]
  server.removeAllListeners(connected)
  /**
   * node:http reads beside the socket's stream: what waited in that would be overtaken by what comes from the network. So what came
   * goes back in one piece with all that the socket still holds. Asked for more than that, a stream of TLS stands still.
   */
  const readBy = (socket: Socket, bytes: Buffer): void => {
    const pieces = [bytes]
    while (socket.readableLength > 0) {
      const more = socket.read() as Buffer | null
      if (more === null) break
      pieces.push(more)
    }
    const all = Buffer.concat(pieces)
    if (all.length > 0) socket.unshift(all)
    parse?.call(server, socket)
    if (socket.isPaused()) socket.resume()
  }
  /** From here on node:http reads the connection. */
  const handOver = (socket: Socket, bytes: Buffer): void => {
    // No set: deleted ones would stay in memory with their requests (forgetting-map.ts). Mostly one at a time
    const own: LiveCall[] = []
    calls.set(socket, own)
    // What node:http calls behind the last answer, and what would reset it if bytes are unread
    socket.destroySoon = endBy(parting, socket)
    readBy(socket, bytes)
    const gone = (): void => {
      for (const live of own.splice(0)) live.gone()
    }
    socket.once('close', gone)
    socket.once('end', () => {
      // node:http ends the connection too, but after what is still to be sent: for ever, if the client does not read
      const isAbandoned = own.some(({ call }) => !call.res.writableEnded && !call.isSwitched)
      gone()
      if (isAbandoned) socket.destroy()
    })
  }
  const plainOnes = createPlainConnections({
    mostHeaderBytes: MAX_HEADER_BYTES,
    keepAliveMs: KEEP_ALIVE_MS,
    headersTimeoutMs: limits.headersTimeoutMs,
    accept: (req, res) => accept({ req, res, awaitsContinue: false, upgraded: undefined }),
    handOver,
    refuse: (code, socket, reading) =>
      answerBrokenRequest({ code }, socket, {
        answers: reading?.call.res.headersSent === true ? 'to come' : 'none',
        path: reading?.call.path ?? '/',
        parting,
      }),
    end: (socket) => parting.end(socket),
    // An idle one has its own, longer time
    onStill: (socket) => {
      if (socket.writableLength > 0) resetNow(socket)
    },
  })
  server.on(connected, (socket: Socket) => {
    // With TLS too: after a switch of protocols one side may end before the other
    socket.allowHalfOpen = true
    socket.setTimeout(limits.answerStallMs)
    plainOnes.add(socket)
  })
  const looking = setInterval(() => plainOnes.look(), CHECK_MS).unref()
  server.once('close', () => clearInterval(looking))
  const closeIdle = server.closeIdleConnections.bind(server)
  const closeAll = server.closeAllConnections.bind(server)
  // The server's own `close` calls the first
  Object.assign(server, {
    closeIdleConnections: () => {
      plainOnes.closeIdle()
      closeIdle()
    },
    closeAllConnections: () => {
      plainOnes.closeAll()
      for (const socket of upgrading) socket.destroy()
      closeAll()
    },
  })
  const plain = (req: IncomingMessage, res: ServerResponse): void =>
    take({ req, res, awaitsContinue: false, upgraded: undefined })
  server.on('request', plain)
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) =>
    take({ req, res, awaitsContinue: true, upgraded: undefined }),
  )
  // With something else to expect: an error, which is told like all others
  server.on('checkExpectation', plain)
  server.on('timeout', (socket: Socket) => {
    // Nothing moved for so long: it is idle, or it does not take its answer. Else an engine may be at work for it
    if ((calls.get(socket)?.length ?? 0) === 0 || socket.writableLength > 0) resetNow(socket)
  })
  /** Behind such a request node:http reads no further. */
  const leftByParser = (req: IncomingMessage, socket: Socket, head: Buffer): void => {
    const upgraded = { socket, early: readEarly(socket, head) }
    const forget = (): void => void upgrading.delete(socket)
    upgrading.add(socket)
    socket.once('close', forget)
    // node:http is done with the connection, also with its errors
    socket.on('error', ignore)
    const before = [...(calls.get(socket) ?? [])]
    const drained = (): void => {
      for (const { call } of before) if (call.res.socket !== null) (call.res as ServerResponse).emit('drain')
    }
    // Nor does node:http tell those that are being answered still
    socket.on('drain', drained)
    whenAnswered(before, () => {
      socket.off('drain', drained)
      socket.setTimeout(0)
      if (req.method === 'CONNECT' || isForEngine(req))
        take({ req, res: lastResponse(req, upgraded), awaitsContinue: false, upgraded })
      else {
        // Offers may come with every request of a connection
        socket.off('error', ignore)
        socket.off('close', forget)
        forget()
        readBy(socket, Buffer.concat([ordinaryHead(req), upgraded.early.take()]))
      }
    })
  }
  server.on('upgrade', leftByParser)
  // Without a listener the connection would end without a word
  server.on('connect', leftByParser)
  /** The parser heeds a `Connection: close` in trailers, too, which came too late for the answer to say that it is the last. */
  const endBehind = (socket: Socket, own: readonly LiveCall[] | undefined): void => {
    if (own === undefined || ending.has(socket)) return
    ending.add(socket)
    whenAnswered([...own], () => parting.end(socket))
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const own = calls.get(socket)
    // Behind a request that is to be the last nothing counts, and its answer is still to come
    if (error.code === 'HPE_CLOSED_CONNECTION') return endBehind(socket, own)
    // Whoever does not speak TLS could not read an answer
    if (own === undefined) return void socket.destroy()
    const [reading] = own
    return answerBrokenRequest(error, socket, { answers: answersOf(own), path: reading?.call.path ?? '/', parting })
  })
  return server
}

/** One for each connection: not a function written there, see docs/performance.md on young functions. */
const endBy = (parting: Parting, socket: Socket) => (): void => parting.end(socket)

const ignore = (): void => {}

/** Requests of one connection are answered in their order. */
const whenAnswered = (before: readonly LiveCall[], then: () => void): void => {
  let left = before.length
  if (left === 0) return then()
  for (const { call } of before) {
    call.res.once('close', () => {
      left -= 1
      if (left === 0 && !call.req.socket.destroyed) then()
    })
  }
  return undefined
}
