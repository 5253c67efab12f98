import type { Failure } from '@lswap/core'
import type { ForwardHead } from '@lswap/agent'
import type { Call } from '../call.ts'
import { pairs, readHead, writeHead } from './head.ts'
import { relieve } from '../../heap/relief.ts'
import { createEventStreamTail, type EventStreamTail } from './stream-error.ts'
import { collectRefusal, type Refusal } from './refusal.ts'
import { sendFailure } from './send.ts'

/** The engine's answer on its way to the client, untouched. */
export interface Answer {
  /** The head is on its way: from here on a failure can only cut the stream. */
  isOpen(): boolean
  /** Begins a stream before the engine has answered. */
  begin(own: Readonly<Record<string, string>>): void
  /** A line of ours before the engine's first byte; false: the answer is none that it could go into. */
  note(text: string): boolean
  /** `own`: headers of ours, raw. */
  open(head: ForwardHead, own: readonly string[]): void
  /** False: no more until `onDrain`. */
  write(chunk: Buffer): boolean
  end(trailers: readonly string[]): void
  /** An answer that can not be given, or not to its end: the client notices. */
  fail(failure: Failure, own: Readonly<Record<string, string>>): void
}

/** `onDrain`: the client takes more again, after a write that said no. */
export const createAnswer = (call: Call, onDrain: () => void): Answer => {
  call.res.on('drain', onDrain)
  return new EngineAnswer(call)
}

class EngineAnswer implements Answer {
  private readonly call: Call
  private events: EventStreamTail | undefined
  private refusal: Refusal | undefined
  private isWritten = false
  private isBegun = false

  constructor(call: Call) {
    this.call = call
  }

  isOpen(): boolean {
    return this.call.res.headersSent
  }

  begin(own: Readonly<Record<string, string>>): void {
    const { path, res } = this.call
    if (res.headersSent || res.destroyed) return
    this.isBegun = true
    this.events = createEventStreamTail(path)
    res.writeHead(200, { ...own, ...BEGUN_HEADERS })
    res.flushHeaders()
  }

  note(text: string): boolean {
    const { res } = this.call
    if (this.events === undefined || this.isWritten || this.refusal !== undefined || res.writableEnded) return false
    // A client that does not read gets no heap of them
    if (!res.writableNeedDrain) res.write(text)
    return true
  }

  open(head: ForwardHead, own: readonly string[]): void {
    const { path, res } = this.call
    const { isEventStream, isEncoded, canAppend, headers } = readHead(head, own)
    if (this.isBegun) {
      if (head.status !== 200 || !isEventStream || isEncoded) this.refusal = collectRefusal(head)
      return
    }
    if (isEventStream && canAppend) this.events = createEventStreamTail(path)
    writeHead(res, head, headers)
    process.nextTick(flush, this)
  }

  /**
   * Sends the head: in one write with the first bytes when they came along, alone when the engine still thinks about them. Sent at once
   * it costs a write of its own: 1 KB takes 66 µs a request and not 60 (64 connections, Node 24).
   */
  flush(): void {
    const { res } = this.call
    if (this.isWritten || res.writableEnded || res.destroyed) return
    res.flushHeaders()
  }

  write(chunk: Buffer): boolean {
    if (this.refusal !== undefined) {
      this.refusal.add(chunk)
      return true
    }
    this.isWritten = true
    relieve(chunk.length)
    this.events?.add(chunk)
    return this.call.res.write(chunk)
  }

  end(trailers: readonly string[]): void {
    const { res } = this.call
    if (trailers.length > 0) res.addTrailers(pairs(trailers))
    res.end(this.refusal === undefined ? undefined : this.eventOf(this.refusal.end()))
  }

  fail(failure: Failure, own: Readonly<Record<string, string>>): void {
    const { call } = this
    if (!call.res.headersSent) sendFailure(call, failure, own)
    else if (this.events !== undefined) call.res.end(this.events.errorEvent(failure))
    else call.reset()
  }

  private eventOf(told: string | Failure): string | undefined {
    return typeof told === 'string' ? this.events?.errorEventOf(told) : this.events?.errorEvent(told)
  }
}

const flush = (answer: EngineAnswer): void => answer.flush()

/** As engines begin theirs. */
const BEGUN_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}
