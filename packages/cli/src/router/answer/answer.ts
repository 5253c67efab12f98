import type { Failure } from '@lswap/core'
import type { ForwardHead } from '@lswap/agent'
import type { Call } from '../call.ts'
import { FRAME_LIMIT_BYTES, framed, writeOn, writeParts } from './frame.ts'
import { endTogether, pairs, readHead, writeHead } from './head.ts'
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

export const createAnswer = (call: Call, onDrain: () => void): Answer => {
  const { res } = call
  let events: EventStreamTail | undefined
  let isWritten = false
  let isBegun = false
  let refusal: Refusal | undefined
  let isFramed = false
  /** node:http has given the head to the connection, or to what waits for it. */
  let isHeadSent = false
  /** Bytes of a counted body that are still to come. */
  let left = Number.NaN
  let last: Buffer | undefined
  res.on('drain', onDrain)

  const write = (chunk: Buffer): boolean => {
    if (refusal !== undefined) {
      refusal.add(chunk)
      return true
    }
    isWritten = true
    events?.add(chunk)
    left -= chunk.length
    if (left === 0) {
      // Its end follows: node:http writes the two at once
      last = chunk
      return true
    }
    return put(chunk)
  }

  const put = (bytes: Buffer): boolean => (isFramed ? putFramed(bytes) : res.write(bytes))

  const putFramed = (chunk: Buffer): boolean => {
    if (chunk.length === 0) return true
    if (chunk.length > FRAME_LIMIT_BYTES) return writeParts(res, chunk)
    const bytes = framed(chunk)
    if (!isHeadSent) {
      isHeadSent = true
      return res.write(bytes)
    }
    return writeOn(res, bytes, onDrain)
  }

  const finish = (chunk: Buffer | string | undefined): void => {
    // The last chunk is node:http's, and nothing may be written past it
    if (isFramed) res.chunkedEncoding = true
    isHeadSent = false
    res.end(chunk)
  }

  const refusalEvent = (told: string | Failure): string | undefined =>
    typeof told === 'string' ? events?.errorEventOf(told) : events?.errorEvent(told)

  return {
    isOpen: () => res.headersSent,
    begin: (own) => {
      if (res.headersSent || res.destroyed) return
      isBegun = true
      events = createEventStreamTail(call.path)
      res.writeHead(200, { ...own, ...BEGUN_HEADERS })
      res.flushHeaders()
    },
    note: (text) => {
      if (events === undefined || isWritten || refusal !== undefined || res.writableEnded) return false
      // A client that does not read gets no heap of them
      if (!res.writableNeedDrain) res.write(text)
      return true
    },
    open: (head, own) => {
      const { isEventStream, isEncoded, canAppend, headers } = readHead(head, own)
      if (isBegun) {
        if (head.status !== 200 || !isEventStream || isEncoded) refusal = collectRefusal(head)
        return
      }
      if (isEventStream && canAppend) events = createEventStreamTail(call.path)
      writeHead(res, head, headers)
      left = head.length ?? Number.NaN
      isFramed = res.chunkedEncoding
      // What is written is framed already
      if (isFramed) res.chunkedEncoding = false
      // In one write with the first bytes when they came along; alone when the engine still thinks about them
      process.nextTick(() => {
        if (isWritten || res.writableEnded || res.destroyed) return
        res.flushHeaders()
        isHeadSent = true
      })
    },
    write,
    end: (trailers) => {
      if (refusal !== undefined) return finish(refusalEvent(refusal.end()))
      if (trailers.length > 0) res.addTrailers(pairs(trailers))
      if (last === undefined) finish(undefined)
      else endTogether(res, last)
    },
    fail: (failure, own) => {
      if (!res.headersSent) sendFailure(call, failure, own)
      else if (events !== undefined) finish(events.errorEvent(failure))
      else call.reset()
    },
  }
}

/** As engines begin theirs. */
const BEGUN_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
}
