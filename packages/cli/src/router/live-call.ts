import type { RequestId } from '@lswap/core'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { ANYBODY } from './access/rights.ts'
import { splitTarget, type Call, type CallFacts, type UpgradedSocket } from './call.ts'
import type { Clock } from './clock.ts'

export interface LiveCallOptions {
  readonly id: RequestId
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly awaitsContinue: boolean
  readonly clock: Clock
  /** How long the rest of the body is thrown away after an early answer. */
  readonly discardMs: number
  /** The connection ends with this answer. */
  readonly isLast: boolean
  readonly upgraded: UpgradedSocket | undefined
  readonly onEnd: (call: Call, status: number) => void
}

/** A call as its connection sees it. */
export interface LiveCall {
  readonly call: Call
  /** The client left, or its half of the connection is closed. */
  gone(): void
}

/** What a client that left is recorded as. */
const GONE_STATUS = 499
const SWITCHED_STATUS = 101

/** Makes a call of what node:http gives, and ends it exactly once. */
export const openCall = (options: LiveCallOptions): LiveCall => {
  const { id, req, res, clock, onEnd } = options
  let isOver = false
  let wasReset = false
  const listeners: (() => void)[] = []

  if (options.isLast) res.shouldKeepAlive = false

  const facts: CallFacts = { route: 'none' }
  const call: Call = {
    id,
    req,
    res,
    method: req.method ?? 'GET',
    ...splitTarget(req.url ?? '/'),
    startedAt: clock.now(),
    facts,
    rights: ANYBODY,
    whenOver: (listener) => void listeners.push(listener),
    onGone: () => {},
    onCut: () => {},
    proceed: () => {
      // Refused without it, node:http closes: whether the body follows could not be known
      if (options.awaitsContinue) res.writeContinue()
    },
    reset: () => {
      wasReset = true
      resetNow(req.socket)
    },
    upgraded: options.upgraded,
    isSwitched: false,
  }

  const end = (status: number): void => {
    if (isOver) return
    isOver = true
    for (const listener of listeners) listener()
    onEnd(call, status)
  }
  const isDelivered = (): boolean => res.writableFinished || wasReset || call.isSwitched
  const statusOf = (): number => {
    if (call.isSwitched) return SWITCHED_STATUS
    return isDelivered() ? res.statusCode : GONE_STATUS
  }
  res.on('finish', () => {
    if (!req.complete) discard(req, { clock, limitMs: options.discardMs })
  })
  res.on('close', () => end(statusOf()))

  return {
    call,
    gone: () => {
      if (isOver || isDelivered()) return
      call.onGone()
      // An answer that never got hold of the connection (pipelining) has no `close` of its own
      end(GONE_STATUS)
    },
  }
}

/**
 * `resetAndDestroy` of node:net sends an orderly end first, which a client of HTTP/1.0 takes for the end of the answer. The
 * flag that it sets makes a plain destroy reset at once; without it the connection would still be closed. TLS tells an end
 * from a cut by itself.
 */
export const resetNow = (socket: Socket): void => {
  if (!(socket instanceof TLSSocket)) Object.assign(socket, { resetAndClosing: true })
  socket.destroy()
}

/** Node throws the rest of a body away after the answer; a client that sends for ever is cut. */
const discard = (req: IncomingMessage, { clock, limitMs }: { clock: Clock; limitMs: number }): void => {
  const cancel = clock.setTimer(clock.now() + limitMs, () => req.socket.destroy())
  req.once('close', cancel)
  req.socket.once('close', cancel)
}
