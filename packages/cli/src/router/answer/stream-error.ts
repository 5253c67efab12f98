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

/** What tells whether an event has ended. */
const TAIL_BYTES = 4

/** `path`: of the request, for the shape of its errors. */
export const createEventStreamTail = (path: string): EventStreamTail => {
  let tail: Buffer = Buffer.alloc(0)
  const errorEventOf = (data: string): string => {
    const end = tail.toString('latin1', Math.max(0, tail.length - TAIL_BYTES))
    const isBetweenEvents = end === '' || /(?:\r\n|\r|\n)(?:\r\n|\r|\n)$/.test(end)
    return `${isBetweenEvents ? '' : '\n\n'}event: error\ndata: ${data}\n\n`
  }
  return {
    add: (chunk) => {
      // The chunk itself: a view of its end would have to be made for each
      tail = chunk.length >= TAIL_BYTES ? chunk : Buffer.concat([tail.subarray(-TAIL_BYTES), chunk])
    },
    errorEvent: (failure) => errorEventOf(errorText(path, failure)),
    errorEventOf,
  }
}
