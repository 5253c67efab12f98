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

/** `path`: of the request, for the shape of its errors. */
export const createEventStreamTail = (path: string): EventStreamTail => {
  let tail: Buffer = Buffer.alloc(0)
  const errorEventOf = (data: string): string => {
    const isBetweenEvents = tail.length === 0 || /(?:\r\n|\r|\n)(?:\r\n|\r|\n)$/.test(tail.toString('latin1'))
    return `${isBetweenEvents ? '' : '\n\n'}event: error\ndata: ${data}\n\n`
  }
  return {
    add: (chunk) => {
      tail = chunk.length >= 4 ? chunk.subarray(-4) : Buffer.concat([tail, chunk]).subarray(-4)
    },
    errorEvent: (failure) => errorEventOf(errorText(path, failure)),
    errorEventOf,
  }
}
