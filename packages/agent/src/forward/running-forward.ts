import { failureOf } from '@lswap/core'
import type { Failure } from '@lswap/core'
import { BodySender, REPLAY_LIMIT_BYTES } from './body-sender.ts'
import { BrokenResponse } from './broken-response.ts'
import type { Connection, ConnectionUser } from './connection.ts'
import type { Forwarding, ForwardHandler, ForwardHead, ForwardRequest } from './exchange.ts'
import { brokenHttp, lostConnection, silent } from './failures.ts'
import { composeHead } from './request-head.ts'
import type { Target } from './request-head.ts'
import { requestFraming } from './request-framing.ts'
import type { RequestFraming } from './request-framing.ts'
import { ResponseReader } from './response-reader.ts'
import { Tunnel } from './tunnel.ts'
import { writeTogether } from './write-together.ts'

/** What an exchange needs of its upstream. */
export interface Lane {
  readonly target: Target
  /** An idle connection, if there is one. */
  takeIdle(): Connection | undefined
  connect(): Connection
  /** The connection can carry another exchange. */
  release(connection: Connection): void
  /** Calls back once the engine has been silent for too long; returns what takes that back. Undefined: it may be. */
  readonly afterSilence: ((tell: () => void) => () => void) | undefined
  /** The exchange is over; its handler has yet to hear of it. */
  onOver(running: RunningForward): void
}

/** One request on its way and its answer, from the first write to `onEnd` or `onError`. */
export class RunningForward implements Forwarding, ConnectionUser {
  /** In the list of its upstream. */
  place = -1
  /** Nobody waits for its end. */
  readonly passive: boolean
  private over = false
  private answered = false
  private connection: Connection | undefined
  private sender: BodySender | undefined
  /** Head and body to send again; dropped with the first byte of the answer, since prompts can be large. */
  private parts: readonly (string | Uint8Array)[] | undefined
  /** What was read and not yet told when the handler asked for a pause: less than one read. */
  private leftover: Buffer | undefined
  private endWatch: (() => void) | undefined
  private tunnel: Tunnel | undefined
  private readonly reader: ResponseReader
  private readonly lane: Lane
  private readonly handler: ForwardHandler

  constructor(lane: Lane, request: ForwardRequest, handler: ForwardHandler) {
    this.lane = lane
    this.handler = handler
    this.passive = request.passive === true
    this.reader = new ResponseReader(handler, request)
  }

  /** The handler is never called from inside. */
  start(request: ForwardRequest): void {
    try {
      const framing = requestFraming(request)
      const head = composeHead(request, this.lane.target, framing)
      this.prepare(request, head, framing)
      const idle = isLongUpload(request, framing) ? undefined : this.lane.takeIdle()
      this.send(idle ?? this.lane.connect())
    } catch (error) {
      process.nextTick(() => this.fail(failureOf(error)))
    }
  }

  abort(): void {
    this.close()
  }

  end(): void {
    if (!this.over) this.tunnel?.end()
  }

  write(chunk: Uint8Array): boolean {
    return this.over || this.tunnel === undefined || this.tunnel.write(chunk)
  }

  resume(): void {
    if (this.tunnel !== undefined && !this.over) return this.tunnel.resume()
    const { connection, leftover, reader } = this
    if (this.over || !reader.paused || connection === undefined) return
    reader.paused = false
    this.leftover = undefined
    if (leftover === undefined || this.advance(leftover, leftover.length)) connection.socket.resume()
    return undefined
  }

  onBytes(bytes: Buffer, length: number): boolean {
    if (!this.answered) {
      this.answered = true
      this.endWatch?.()
      this.parts = undefined
      this.sender?.forget()
    }
    return this.advance(bytes, length)
  }

  onDrain(): void {
    this.sender?.onDrain()
  }

  onLost(error: Error | undefined): void {
    const { connection, lane } = this
    if (this.over || connection === undefined) return
    if (error === undefined && this.reader.phase === 'close') this.finish(connection, false)
    else if (this.canRetry(connection)) this.send(lane.connect())
    else this.fail(lostConnection(lane.target.authority, this.answered, error))
  }

  /** Ends it with this failure. Does nothing when it is over. */
  fail(failure: Failure): void {
    if (this.over) return
    this.stop()
    this.connection?.destroy()
    this.handler.onError({ failure, answered: this.answered })
  }

  private prepare({ body }: ForwardRequest, head: string, framing: RequestFraming): void {
    const { rest } = body
    if (rest === undefined) this.parts = [head, ...body.held]
    else this.sender = new BodySender({ head, body, rest, framing, onFailure: (failure) => this.fail(failure) })
  }

  private send(connection: Connection): void {
    this.connection = connection
    connection.user = this
    if (this.sender !== undefined) this.sender.send(connection.socket, connection.reused)
    else if (this.parts !== undefined) writeTogether(connection.socket, this.parts)
    this.watch()
  }

  // An engine closes idle connections when it likes, also in the moment in which we use one. It has then read nothing, and
  // the request goes out once more where that can not happen: on a fresh connection, which is never replaced.
  private canRetry({ reused }: Connection): boolean {
    return reused && !this.answered && this.sender?.canReplay !== false
  }

  private watch(): void {
    this.endWatch?.()
    this.endWatch = this.lane.afterSilence?.(() => {
      // While the body is still being sent there is nothing to answer yet
      if (this.sender?.finished === false) this.watch()
      else this.fail(silent(this.lane.target.authority))
    })
  }

  /** Whether the socket may read on. */
  private advance(bytes: Buffer, length: number): boolean {
    const { connection, reader, sender } = this
    let at: number
    try {
      at = reader.read(bytes, 0, length)
    } catch (error) {
      if (!(error instanceof BrokenResponse)) throw error
      this.fail(brokenHttp(this.lane.target.authority, error.message))
      return false
    }
    if (this.over || connection === undefined) return false
    if (reader.switchHead !== undefined) {
      return this.switchTo(connection, reader.switchHead, bytes.subarray(at, length))
    }
    if (reader.complete) {
      this.finish(connection, at === length)
      return true
    }
    // Refused before the whole body was there: the rest would be sent for nothing.
    if (reader.status >= 300 && sender?.finished === false) sender.stop()
    if (reader.paused && at < length) this.leftover = Buffer.from(bytes.subarray(at, length))
    return !reader.paused
  }

  /** What came right behind the 101 is the first of the new protocol. */
  private switchTo(connection: Connection, head: ForwardHead, rest: Buffer): boolean {
    const { handler, lane } = this
    this.tunnel = new Tunnel(connection, {
      handler,
      onLost: (error) => this.fail(lostConnection(lane.target.authority, true, error)),
      onOver: () => this.close(),
    })
    connection.user = this.tunnel
    handler.onUpgrade?.(head)
    // The client may have gone meanwhile
    return !this.over && (rest.length === 0 || this.tunnel.onBytes(rest, rest.length))
  }

  private finish(connection: Connection, clean: boolean): void {
    const sent = this.sender?.finished ?? true
    this.stop()
    connection.user = undefined
    if (clean && sent && this.reader.keepAlive && connection.socket.writableLength === 0) this.lane.release(connection)
    else connection.destroy()
    this.handler.onEnd(this.reader.trailers)
  }

  private close(): void {
    if (this.over) return
    this.stop()
    this.connection?.destroy()
  }

  private stop(): void {
    this.over = true
    this.endWatch?.()
    this.parts = undefined
    this.leftover = undefined
    this.reader.stop()
    this.sender?.stop()
    this.lane.onOver(this)
  }
}

// Too long to be kept for a second try: it gets a connection that can not be stale. Beside the upload that costs nothing.
const isLongUpload = ({ body }: ForwardRequest, framing: RequestFraming): boolean =>
  body.rest !== undefined && typeof framing === 'number' && framing > REPLAY_LIMIT_BYTES
