import type { Failure, RequestId } from '@lswap/core'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { ANYBODY, type Rights } from './access/rights.ts'
import { splitTarget, type Call, type CallFacts, type Follower, type UpgradedSocket } from './call.ts'
import type { Clock } from './clock.ts'
import type { ClientRequest, ClientResponse } from './messages.ts'
import type { Parting } from './parting.ts'

export interface LiveCallOptions {
  readonly id: RequestId
  readonly req: ClientRequest
  readonly res: ClientResponse
  readonly awaitsContinue: boolean
  readonly clock: Clock
  readonly parting: Pick<Parting, 'limit'>
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
export const openCall = (options: LiveCallOptions): LiveCall => new OpenCall(options)

const NOBODY: Follower = { gone: () => {}, cut: () => {} }

class OpenCall implements Call, LiveCall {
  readonly id: RequestId
  readonly req: ClientRequest
  readonly res: ClientResponse
  readonly method: string
  readonly target: string
  readonly path: string
  readonly query: string
  readonly startedAt: number
  readonly facts: CallFacts
  readonly upgraded: UpgradedSocket | undefined
  rights: Rights = ANYBODY
  isSwitched = false
  private readonly options: LiveCallOptions
  private isOver = false
  private wasReset = false
  private follower = NOBODY
  private listeners: (() => void)[] | undefined

  constructor(options: LiveCallOptions) {
    const { id, req, res, clock } = options
    this.options = options
    this.id = id
    this.req = req
    this.res = res
    this.method = req.method ?? 'GET'
    const { target, path, query } = splitTarget(req.url ?? '/')
    this.target = target
    this.path = path
    this.query = query
    this.startedAt = clock.now()
    this.facts = newFacts()
    this.upgraded = options.upgraded
    if (options.isLast) res.shouldKeepAlive = false
    res.on('finish', () => this.finished())
    res.on('close', () => this.end(this.status()))
  }

  get call(): Call {
    return this
  }

  whenOver(listener: () => void): void {
    ;(this.listeners ??= []).push(listener)
  }

  follow(follower: Follower): void {
    this.follower = follower
  }

  onGone(): void {
    this.follower.gone()
  }

  onCut(failure: Failure): void {
    this.follower.cut(failure)
  }

  proceed(): void {
    // Refused without it, node:http closes: whether the body follows could not be known
    if (!this.options.awaitsContinue) return
    const { res } = this
    if (res.socket !== null) return res.writeContinue()
    // Before its turn node:http keeps it, and would put the head of the answer in front of it: it would stand in the body
    res.once('socket', () => {
      if (!res.headersSent) res.writeContinue()
    })
    return undefined
  }

  reset(): void {
    this.wasReset = true
    resetNow(this.req.socket)
  }

  gone(): void {
    if (this.isOver || this.isDelivered()) return
    this.onGone()
    // An answer that never got hold of the connection (pipelining) has no `close` of its own
    this.end(GONE_STATUS)
  }

  private finished(): void {
    const { parting } = this.options
    // The connection ends with this answer, but a client that does not end its half would keep it
    if (this.upgraded !== undefined) return void parting.limit(this.upgraded.socket)
    // node:http throws away only what nobody began to read: held back, the rest would stop the connection, and its client if that sends all before it reads
    if (this.req.isPaused()) this.req.resume()
    // A client that sends for ever is cut; behind the last answer that is the connection's affair
    if (!this.req.complete && this.res.shouldKeepAlive) this.req.on('close', parting.limit(this.req.socket))
    return undefined
  }

  private end(status: number): void {
    if (this.isOver) return
    this.isOver = true
    if (this.listeners !== undefined) for (const listener of this.listeners) listener()
    this.options.onEnd(this, status)
  }

  private isDelivered(): boolean {
    return this.wasReset || this.isSwitched || this.res.writableFinished
  }

  private status(): number {
    if (this.isSwitched) return SWITCHED_STATUS
    return this.isDelivered() ? this.res.statusCode : GONE_STATUS
  }
}

/** Of one shape for all requests: fields that come one by one make a hidden class for each order in which they come. */
const newFacts = (): CallFacts => ({
  route: 'none',
  caller: undefined,
  model: undefined,
  priority: undefined,
  host: undefined,
  waitMs: undefined,
  tokens: undefined,
  attempts: undefined,
  failure: undefined,
})

/**
 * `resetAndDestroy` of node:net sends an orderly end first, which a client of HTTP/1.0 takes for the end of the answer. The
 * flag that it sets makes a plain destroy reset at once; without it the connection would still be closed. TLS tells an end
 * from a cut by itself.
 */
export const resetNow = (socket: Socket): void => {
  if (!(socket instanceof TLSSocket)) Object.assign(socket, { resetAndClosing: true })
  socket.destroy()
}
