import type { Socket } from 'node:net'
import type { LiveCall } from '../live-call.ts'
import { readPlainHead } from './head.ts'
import { PlainRequest } from './request.ts'
import { PlainResponse, type AnswerWay } from './response.ts'

export interface PlainOptions {
  /** Bytes of a head. */
  readonly mostHeaderBytes: number
  readonly keepAliveMs: number
  readonly headersTimeoutMs: number
  readonly accept: (req: PlainRequest, res: PlainResponse) => LiveCall
  /** The rest of the connection is node:http's, from `bytes` on. */
  readonly handOver: (socket: Socket, bytes: Buffer) => void
  /** What came can not become a request. */
  readonly refuse: (code: string, socket: Socket, reading: LiveCall | undefined) => void
  /** The connection is over behind what is written, whatever still comes. */
  readonly end: (socket: Socket) => void
  /** Nothing moved for as long as answers may stall. */
  readonly onStill: (socket: Socket) => void
  readonly onClosed: (connection: PlainConnection) => void
}

/** What came behind a request that is not answered yet; then its client has to wait. */
const MOST_AHEAD_BYTES = 64 * 1024

/**
 * A connection whose requests are plain so far: they are read from the socket and answered to it without node:http, which takes
 * 17 of the 39 µs of a proxy that does nothing else (64 connections, 1 KB, Node 24). The first request that is not plain goes to
 * node:http with all that follows.
 */
export class PlainConnection {
  readonly socket: Socket
  private readonly options: PlainOptions
  private readonly way: AnswerWay
  private request: PlainRequest | undefined
  private response: PlainResponse | undefined
  private live: LiveCall | undefined
  /** Bytes of the body that are still to come. */
  private left = 0
  private ahead: Buffer[] | undefined
  private aheadBytes = 0
  private idleSince: number
  private hasAsked = false
  private isEnding = false
  private readonly onData = (bytes: Buffer): void => this.read(bytes)
  private readonly onEnd = (): void => this.ended()
  private readonly onClose = (): void => this.closed()
  private readonly onDrain = (): void => this.response?.drain()
  private readonly onTimeout = (): void => this.options.onStill(this.socket)

  constructor(socket: Socket, options: PlainOptions, keepAlive: string) {
    this.socket = socket
    this.options = options
    this.idleSince = performance.now()
    this.way = { keepAlive, taken: () => this.answered() }
    this.listen('on')
  }

  /** Nobody waits for an answer on it, and nothing of a request has come. */
  isIdle(): boolean {
    return this.request === undefined
  }

  /** Ends it when it was idle for too long. */
  look(now: number): void {
    if (this.request !== undefined || this.isEnding) return
    const { headersTimeoutMs, keepAliveMs, refuse } = this.options
    if (this.hasAsked) {
      if (now - this.idleSince >= keepAliveMs) this.socket.destroy()
    } else if (now - this.idleSince >= headersTimeoutMs) {
      this.isEnding = true
      refuse('ERR_HTTP_REQUEST_TIMEOUT', this.socket, undefined)
    }
  }

  private listen(how: 'on' | 'off'): void {
    const { socket } = this
    socket[how]('data', this.onData)
    socket[how]('end', this.onEnd)
    socket[how]('close', this.onClose)
    socket[how]('drain', this.onDrain)
    socket[how]('timeout', this.onTimeout)
    // `close` follows
    socket[how]('error', ignore)
  }

  private read(bytes: Buffer): void {
    if (this.isEnding) return
    if (this.request === undefined) this.begin(bytes)
    else if (this.left > 0) this.readBody(bytes)
    else this.keep(bytes)
  }

  private begin(bytes: Buffer): void {
    const { options, socket } = this
    const head = readPlainHead(bytes, options.mostHeaderBytes)
    // A second request in the same piece: node:http hands both on at once
    if (head === undefined || bytes.length > head.size + head.length) return this.leave(bytes)
    this.hasAsked = true
    this.left = head.length
    const request = new PlainRequest(socket, head)
    const response = new PlainResponse(request, this.way)
    this.request = request
    this.response = response
    this.live = options.accept(request, response)
    if (head.length === 0) request.push(undefined, true)
    if (bytes.length > head.size) return this.readBody(bytes.subarray(head.size))
    return undefined
  }

  private readBody(bytes: Buffer): void {
    const mine = bytes.length > this.left ? bytes.subarray(0, this.left) : bytes
    this.left -= mine.length
    if (mine.length > 0) this.request?.push(mine, this.left === 0)
    if (mine.length < bytes.length) this.keep(bytes.subarray(mine.length))
    this.goOn()
  }

  /** For when it is answered. A client that leaves meanwhile is noticed as long as something is read. */
  private keep(bytes: Buffer): void {
    ;(this.ahead ??= []).push(bytes)
    this.aheadBytes += bytes.length
    if (this.aheadBytes > MOST_AHEAD_BYTES) this.socket.pause()
  }

  /** The last bytes of the answer were taken by the system, or there is nobody to take them. */
  private answered(): void {
    const { request, response, socket } = this
    if (request === undefined || response === undefined || socket.destroyed) return
    if (!request.complete) request.dump()
    response.finish()
    this.live = undefined
    if (!response.shouldKeepAlive) {
      this.isEnding = true
      this.options.end(socket)
    } else this.goOn()
  }

  /** The next request, once this one is answered and nothing of it is still to come. */
  private goOn(): void {
    if (this.live !== undefined || this.left > 0 || this.isEnding) return
    this.request?.close()
    this.request = undefined
    this.response = undefined
    this.idleSince = performance.now()
    if (this.ahead !== undefined) this.leave(Buffer.concat(this.ahead))
  }

  /** From here on it is node:http's. */
  private leave(bytes: Buffer): void {
    const { options, socket } = this
    this.listen('off')
    options.onClosed(this)
    options.handOver(socket, bytes)
  }

  /** Who ends its half has left, as everywhere: a request that is not answered is not any more. */
  private ended(): void {
    const { live, response, socket } = this
    if (live === undefined || response === undefined) return void socket.end()
    if (response.writableEnded) {
      // What it sent ahead is not answered any more
      this.isEnding = true
      live.gone()
      return socket.destroySoon()
    }
    if (this.left > 0) this.options.refuse('HPE_INVALID_EOF_STATE', socket, live)
    live.gone()
    return void socket.destroy()
  }

  private closed(): void {
    const { live, request, response } = this
    this.options.onClosed(this)
    live?.gone()
    response?.close()
    request?.close()
  }
}

const ignore = (): void => {}
