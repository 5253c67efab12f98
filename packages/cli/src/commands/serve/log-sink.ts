import type { Output } from '../../io.ts'

/** Where finished lines of the log go. */
export interface LogSink {
  write(line: string): void
  /** Resolves when everything is written, or when nobody seems to read it any more. */
  end(): Promise<void>
}

export interface LogSinkOptions {
  readonly output: Output
  /** Told how many lines were lost, once the reader reads again. */
  readonly onLoss: (lines: number) => void
  readonly maxWaitingChars?: number
  readonly endLimitMs?: number
}

/** A reader that stopped reading (a pager, a stuck collector) must neither stop the router nor fill its memory. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024
const END_LIMIT_MS = 500
/** Lines after which those that were told are forgotten, all at once. */
const MANY = 4096

/** Writes in the background up to a bound; beyond it lines are lost, and counted. */
export const createLogSink = (options: LogSinkOptions): LogSink => {
  const { output, onLoss, maxWaitingChars = MAX_WAITING_CHARS, endLimitMs = END_LIMIT_MS } = options
  let waiting = 0
  let lost = 0
  let onIdle: (() => void) | undefined
  // Lines are told in their order: how long each was is kept here, and no function is made for it
  let lengths: number[] = []
  let told = 0

  const written = (): void => {
    waiting -= lengths[told] ?? 0
    told += 1
    // Also with a reader that never quite catches up
    if (told === lengths.length || told > MANY) {
      lengths = lengths.slice(told)
      told = 0
    }
    if (waiting > 0) return
    onIdle?.()
    if (lost === 0) return
    const lines = lost
    lost = 0
    onLoss(lines)
  }

  return {
    write: (line) => {
      if (waiting + line.length > maxWaitingChars) {
        lost += 1
        return
      }
      waiting += line.length
      lengths.push(line.length)
      output.write(line, written)
    },
    end: () =>
      new Promise((resolve) => {
        if (waiting === 0) return resolve()
        const limit = setTimeout(resolve, endLimitMs)
        onIdle = () => {
          clearTimeout(limit)
          resolve()
        }
        return undefined
      }),
  }
}
