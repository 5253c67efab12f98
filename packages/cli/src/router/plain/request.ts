import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientRequest } from '../messages.ts'
import type { PlainHead } from './head.ts'

const NO_TRAILERS: readonly string[] = []

/** A request with a plain head; its connection gives it the body. */
export class PlainRequest implements ClientRequest {
  readonly method: string
  readonly url: string
  readonly httpVersion = '1.1'
  readonly httpVersionMajor = 1
  readonly httpVersionMinor = 1
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly rawTrailers = NO_TRAILERS
  readonly socket: Socket
  complete = false
  private onData: ((chunk: Buffer) => void) | undefined
  private onEnd: (() => void) | undefined
  private closers: (() => void)[] | undefined
  /** What came while nobody wanted it, or before: at most what one read brings. */
  private kept: Buffer | undefined
  private isWanted = false
  private isStopped = false
  private isDumped = false
  private isClosed = false

  constructor(socket: Socket, { method, url, headers, rawHeaders }: PlainHead) {
    this.socket = socket
    this.method = method
    this.url = url
    this.headers = headers
    this.rawHeaders = rawHeaders
  }

  on(event: 'data', listener: (chunk: Buffer) => void): void
  on(event: 'end' | 'error' | 'close', listener: () => void): void
  on(event: string, listener: (chunk: Buffer) => void): void
  on(event: string, listener: (chunk: Buffer) => void): void {
    if (event === 'data') {
      this.onData = listener
      this.want()
    } else if (event === 'end') this.onEnd = listener as () => void
    else if (event === 'close') (this.closers ??= []).push(listener as () => void)
  }

  isPaused(): boolean {
    return this.isStopped
  }

  pause(): void {
    // Whoever let go of the body behind the answer would keep the next request from being read
    if (this.isDumped) return
    this.isStopped = true
    if (!this.complete) this.socket.pause()
  }

  resume(): void {
    if (this.isWanted && !this.isStopped) return
    this.isWanted = true
    this.isStopped = false
    this.flow()
  }

  /** More of the body. `isLast`: all of it has come. */
  push(chunk: Buffer | undefined, isLast: boolean): void {
    if (isLast) this.complete = true
    if (this.isStopped || !this.isWanted) {
      this.kept = chunk
      if (!isLast) this.socket.pause()
      // Stopped before its first bytes: nothing of it is held back any more, and a client that leaves is to be noticed
      else if (this.socket.isPaused()) this.socket.resume()
      return
    }
    if (chunk !== undefined) this.onData?.(chunk)
    // Inside `onData` it may have been stopped; its end is told when it goes on
    if (isLast && !this.isStopped) this.finish()
  }

  /** Nobody reads it any more. */
  dump(): void {
    this.onData = undefined
    this.onEnd = undefined
    this.kept = undefined
    this.isWanted = true
    this.isStopped = false
    this.isDumped = true
    this.socket.resume()
  }

  /** It is over, with its connection or without. Idempotent. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    if (this.closers !== undefined) for (const closer of this.closers) closer()
  }

  /** Tells what was kept back. */
  goOn(): void {
    if (this.isStopped || this.isClosed) return
    const { kept } = this
    this.kept = undefined
    if (kept !== undefined) this.onData?.(kept)
    if (this.complete && !this.isStopped) this.finish()
  }

  private want(): void {
    if (this.isWanted) return
    this.isWanted = true
    // Nothing has come yet, as nearly always
    if (this.kept === undefined && !this.complete) return
    if (!this.isStopped) this.flow()
  }

  private flow(): void {
    if (this.kept !== undefined || this.complete) process.nextTick(goOn, this)
    if (!this.complete) this.socket.resume()
  }

  private finish(): void {
    const { onEnd } = this
    this.onEnd = undefined
    onEnd?.()
    this.close()
  }
}

const goOn = (request: PlainRequest): void => request.goOn()
