import type { Failure } from '@lswap/core'
import { errorText } from './error-text.ts'

/** Remembers how an event stream ends, so that an event of ours can follow what the engine left unfinished. */
export interface EventStreamTail {
  add(chunk: Buffer): void
  /** The error as an event of its own. It ends what came before; a parser takes a half event for one, which fails too. */
  errorEvent(failure: Failure): string
  /** The same with data that an engine gave. */
  errorEventOf(data: string): string
}

const LF = 0x0a
const CR = 0x0d
/** Nothing came yet: as if an event had just ended. */
const BEGIN = (LF << 8) | LF

/** `path`: of the request, for the shape of its errors. */
export const createEventStreamTail = (path: string): EventStreamTail => {
  /** The last four bytes as a number. The chunk itself would keep Node's pool of 8 KB alive for each stream. */
  let last = BEGIN
  const errorEventOf = (data: string): string => `${isBetweenEvents(last) ? '' : '\n\n'}event: error\ndata: ${data}\n\n`
  return {
    add: (chunk) => {
      for (let at = Math.max(0, chunk.length - 4); at < chunk.length; at += 1) last = (last << 8) | (chunk[at] ?? 0)
    },
    errorEvent: (failure) => errorEventOf(errorText(path, failure)),
    errorEventOf,
  }
}

/** Whether bytes that end so end with an empty line. CR LF is one end of a line. */
const isBetweenEvents = (last: number): boolean => {
  if (!isLineEnd(last & 0xff)) return false
  const before = (last & 0xffff) === ((CR << 8) | LF) ? last >>> 16 : last >>> 8
  return isLineEnd(before & 0xff)
}

const isLineEnd = (byte: number): boolean => byte === LF || byte === CR
