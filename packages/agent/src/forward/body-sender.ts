import type { Failure } from '@lswap/core'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import type { ForwardBody } from './exchange.ts'
import { bodyTooLong, clientLeft } from './failures.ts'
import { passableTrailers } from './field-kinds.ts'
import { heldBytes } from './request-framing.ts'
import type { RequestFraming } from './request-framing.ts'
import { writeTogether } from './write-together.ts'

/** So much of a streamed body is kept until the engine's first byte, to be sent again if the connection was stale. */
export const REPLAY_LIMIT_BYTES = 1024 * 1024

interface BodySenderOptions {
  readonly head: string
  readonly body: ForwardBody
  readonly rest: Readable
  readonly framing: RequestFraming
  /** Never called from inside `send`. */
  readonly onFailure: (failure: Failure) => void
}

/** Sends a head and a body of which a part is still to come, no faster than the engine takes it. */
export class BodySender {
  /** Every byte has been handed to the socket. */
  finished = false
  private stopped = false
  private attached = false
  private given: number
  private kept: Uint8Array[] | undefined = []
  private keptBytes = 0
  private socket: Socket | undefined
  private readonly options: BodySenderOptions

  constructor(options: BodySenderOptions) {
    this.options = options
    this.given = heldBytes(options.body.held)
    this.finished = this.given === options.framing
  }

  /** Whether `send` can start over on another connection. */
  get canReplay(): boolean {
    return this.kept !== undefined
  }

  /** Sends from the beginning. `keep`: what is read from now on may be needed again. */
  send(socket: Socket, keep: boolean): void {
    const { head, body, framing } = this.options
    this.socket = socket
    const before = [...body.held, ...(this.kept ?? [])]
    const parts: (string | Uint8Array)[] = [head]
    if (framing === 'chunked') addChunk(parts, before)
    else parts.push(...before)
    if (framing === 'chunked' && this.finished) parts.push(this.lastChunk())
    const ready = writeTogether(socket, parts)
    if (!keep) this.forget()
    this.attach()
    if (ready) this.onDrain()
    else this.options.rest.pause()
  }

  /** The engine has answered: the request can not be sent again. */
  forget(): void {
    this.kept = undefined
  }

  onDrain(): void {
    if (!this.stopped) this.options.rest.resume()
  }

  /** Sends no more; what is unread stays in `rest`, paused. Idempotent. */
  stop(): void {
    if (this.stopped) return
    this.stopped = true
    this.forget()
    const { rest } = this.options
    rest.pause()
    rest.off('data', this.onData)
    rest.off('end', this.onEnd)
    rest.off('close', this.onGone)
    // Its error listener stays: a late error of a stream that nobody else listens to would end the process.
  }

  private attach(): void {
    if (this.attached) return
    this.attached = true
    const { rest } = this.options
    rest.on('data', this.onData)
    rest.on('end', this.onEnd)
    rest.on('error', this.onGone)
    rest.on('close', this.onGone)
    if (rest.readableEnded) process.nextTick(this.onEnd)
    else if (rest.destroyed) process.nextTick(this.onGone)
  }

  private readonly onData = (chunk: Uint8Array): void => {
    const { framing, rest } = this.options
    if (this.stopped || chunk.byteLength === 0) return
    this.given += chunk.byteLength
    if (typeof framing === 'number' && this.given > framing) {
      this.fail(bodyTooLong(framing))
      return
    }
    this.keep(chunk)
    if (!this.write(chunk)) rest.pause()
    if (this.given === framing) this.finished = true
  }

  private readonly onEnd = (): void => {
    if (this.stopped || this.finished) return
    if (this.options.framing !== 'chunked') {
      this.fail(clientLeft())
      return
    }
    this.finished = true
    this.socket?.write(this.lastChunk(), 'latin1')
  }

  private readonly onGone = (): void => {
    if (!this.finished) this.fail(clientLeft())
  }

  private fail(failure: Failure): void {
    if (this.stopped) return
    this.stop()
    this.options.onFailure(failure)
  }

  private keep(chunk: Uint8Array): void {
    if (this.kept === undefined) return
    this.keptBytes += chunk.byteLength
    if (this.keptBytes > REPLAY_LIMIT_BYTES) this.kept = undefined
    else this.kept.push(chunk)
  }

  private write(chunk: Uint8Array): boolean {
    const socket = this.socket as Socket
    if (this.options.framing !== 'chunked') return socket.write(chunk)
    const parts: (string | Uint8Array)[] = []
    addChunk(parts, [chunk])
    return writeTogether(socket, parts)
  }

  // An IncomingMessage has its trailers once it has ended.
  private lastChunk(): string {
    const { rest } = this.options
    let last = '0\r\n'
    if ('rawTrailers' in rest && Array.isArray(rest.rawTrailers)) {
      const trailers = passableTrailers(rest.rawTrailers as string[])
      for (let i = 0; i < trailers.length; i += 2) last += `${trailers[i]}: ${trailers[i + 1]}\r\n`
    }
    return `${last}\r\n`
  }
}

const addChunk = (parts: (string | Uint8Array)[], payload: readonly Uint8Array[]): void => {
  const bytes = heldBytes(payload)
  // A chunk of size 0 would end the body.
  if (bytes > 0) parts.push(`${bytes.toString(16)}\r\n`, ...payload, '\r\n')
}
