import type { Redact } from '@lswap/core'
import type { Readable } from 'node:stream'
import { followLog, type FollowOptions, type LogFollowing } from './follow-log.ts'
import { createLineSplitter } from './line-splitter.ts'
import { createLogRing } from './log-ring.ts'
import type { LogPosition } from './log-ring.ts'

/** Told of each line without its end; the bytes are valid only during the call. */
export type OnLine = (line: Buffer) => void

export interface ModelLogOptions {
  /** Whoever reads it, for whatever reason, reads it without secrets. Absent: there are none. */
  readonly redact?: Redact
  readonly capacityBytes?: number
}

const AS_IT_IS: Redact = (text) => text

/** The output of one model over all its starts. */
export interface ModelLog {
  /** Begins a start with a marker line; its position tells this start's lines from earlier ones. */
  mark(text: string): LogPosition
  /** Reads a child's output as fast as it comes. */
  follow(stream: Readable, onLine?: OnLine): void
  tail(count: number, since?: LogPosition): string[]
  /** Tells what comes, after the last lines that are there. */
  tell(options: FollowOptions): LogFollowing
}

export const createModelLog = ({ redact = AS_IT_IS, capacityBytes }: ModelLogOptions = {}): ModelLog => {
  const ring = createLogRing(capacityBytes)
  return {
    mark(text) {
      ring.push(Buffer.from(`--- ${text} ---`))
      return ring.position()
    },
    follow(stream, onLine) {
      const splitter = createLineSplitter((line) => {
        ring.push(line)
        onLine?.(line)
      })
      stream.on('data', (chunk: Buffer) => splitter.write(chunk))
      stream.on('close', () => splitter.end())
      // A broken pipe ends the output, nothing else: what the process does shows in its exit.
      stream.on('error', () => {})
    },
    tail: (count, since) => ring.tail(count, since).map(redact),
    tell: ({ tail, onText }) => followLog(ring, { tail, onText: (text) => onText(redact(text)) }),
  }
}
