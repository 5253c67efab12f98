import type { Readable } from 'node:stream'
import { createLineSplitter } from './line-splitter.ts'
import { createLogRing } from './log-ring.ts'
import type { LogPosition, LogRing } from './log-ring.ts'

/** Told of each line without its end; the bytes are valid only during the call. */
export type OnLine = (line: Buffer) => void

/** The output of one model over all its starts. */
export interface ModelLog {
  /** Begins a start with a marker line; its position tells this start's lines from earlier ones. */
  mark(text: string): LogPosition
  /** Reads a child's output as fast as it comes. */
  follow(stream: Readable, onLine?: OnLine): void
  tail(count: number, since?: LogPosition): string[]
  readonly ring: LogRing
}

export const createModelLog = (capacityBytes?: number): ModelLog => {
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
    tail: (count, since) => ring.tail(count, since),
    ring,
  }
}
