import type { Failure } from '@lswap/core'
import type { ForwardHead } from '@lswap/agent'
import type { ServerResponse } from 'node:http'
import { withoutCors } from '../access/cors.ts'
import type { Call } from '../call.ts'
import { FRAME_LIMIT_BYTES, framed, writeOn, writeParts } from './frame.ts'
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
      const { isEventStream, isEncoded, canAppend, headers } = readHead(head)
      if (isBegun) {
        if (head.status !== 200 || !isEventStream || isEncoded) refusal = collectRefusal(head)
        return
      }
      if (isEventStream && canAppend) events = createEventStreamTail(call.path)
      // Told at once by proxies in front that would hold events back; an engine's own word on it stays
      const holds = isEventStream && !has(headers, 'x-accel-buffering')
      addUntold(headers, own)
      if (holds) headers.push('X-Accel-Buffering', 'no')
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
      finish(last)
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

const writeHead = (res: ServerResponse, head: ForwardHead, headers: string[]): void => {
  const { status } = head
  if (!res.hasHeader('access-control-allow-origin')) {
    res.writeHead(status, reasonOf(head), headers)
    return
  }
  // A list given to `writeHead` would replace what was set before, and of what is there twice keep one
  for (const [name, value] of pairs(withoutCors(headers))) res.appendHeader(name, value)
  res.writeHead(status, reasonOf(head))
}

/** A phrase that HTTP does not allow is left out: it means nothing. */
const reasonOf = ({ reason }: ForwardHead): string => (/^[\t\x20-\x7e\x80-\xff]*$/.test(reason) ? reason : '')

interface HeadReading {
  readonly isEventStream: boolean
  readonly isEncoded: boolean
  /** Whether an event of ours can follow: neither compressed nor counted. */
  readonly canAppend: boolean
  readonly headers: string[]
}

const readHead = ({ headers, length, bodyless }: ForwardHead): HeadReading => {
  const kept: string[] = []
  let isEventStream = false
  let isEncoded = false
  let isFromLswap = false
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ''
    const value = headers[at + 1] ?? ''
    const lower = name.toLowerCase()
    if (lower === 'content-type') isEventStream = /^\s*text\/event-stream\b/i.test(value)
    if (lower === 'content-encoding') isEncoded = value.trim().toLowerCase() !== 'identity'
    // Another lswap behind this one: what it tells of its queue would contradict what we tell of ours
    if (lower.startsWith('x-lswap-')) {
      isFromLswap = true
      continue
    }
    // Without a body it tells of one that does not follow, and is the engine's word
    if (lower !== 'content-length' || bodyless === true) kept.push(name, value)
  }
  if (isFromLswap) drop(kept, 'server-timing')
  if (length !== undefined && bodyless !== true) kept.push('Content-Length', String(length))
  return { isEventStream, isEncoded, canAppend: !isEncoded && length === undefined, headers: kept }
}

const drop = (headers: string[], name: string): void => {
  for (let at = headers.length - 2; at >= 0; at -= 2) if (headers[at]?.toLowerCase() === name) headers.splice(at, 2)
}

/** Adds headers of ours. An engine that names the request itself has done so: two would be read as one, "a, a". */
const addUntold = (headers: string[], own: readonly string[]): void => {
  for (let at = 0; at + 1 < own.length; at += 2) {
    const name = own[at] ?? ''
    if (name !== 'X-Request-Id' || !has(headers, 'x-request-id')) headers.push(name, own[at + 1] ?? '')
  }
}

const has = (headers: readonly string[], name: string): boolean =>
  headers.some((header, at) => at % 2 === 0 && header.toLowerCase() === name)

const pairs = (raw: readonly string[]): [string, string][] => {
  const result: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) result.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return result
}
