/** Output kept per model. */
const LOG_RING_BYTES = 1_048_576

const NEWLINE = 0x0a
/** Of UTF-16, in UTF-8. */
const MOST_BYTES_A_CHARACTER = 3

/** A place in the output of a model: bytes written before it, since the ring was made. */
export type LogPosition = number & { readonly brand: 'LogPosition' }

export interface LogRing {
  /** One line without its end; must be shorter than the ring. */
  push(line: Uint8Array): void
  /** The same of a text that has its end. */
  pushText(line: string): void
  position(): LogPosition
  /** The last `count` lines, oldest first; only those written after `since` when it is given. */
  tail(count: number, since?: LogPosition): string[]
  /** Reads on from the last `count` lines. */
  cursor(count: number): LogCursor
  /** Calls after each line; what it does must cost nothing. */
  onLine(listener: () => void): () => void
}

/** A place in the output that moves on as it is read. It holds nothing: who reads too slowly loses lines. */
export interface LogCursor {
  /** Whole lines with their ends, at most `maxBytes` unless one alone is longer; empty: no more for now. `lost`: lines that were overwritten before. */
  read(maxBytes: number): { readonly text: string; readonly lost: number }
}

/**
 * The last bytes of an output, in whole lines: a fixed circle of bytes, so that a flood of short lines costs no
 * more memory than a few long ones and a line costs one copy.
 */
export const createLogRing = (capacityBytes: number = LOG_RING_BYTES): LogRing => {
  let circle: Buffer | undefined
  let written = 0
  let lines = 0
  const listeners = new Set<() => void>()

  const append = (bytes: Uint8Array): void => {
    circle ??= Buffer.alloc(capacityBytes)
    const at = written % capacityBytes
    const first = Math.min(bytes.length, capacityBytes - at)
    circle.set(bytes.subarray(0, first), at)
    circle.set(bytes.subarray(first), 0)
    written += bytes.length
  }

  /** A copy of the bytes between two places that are both still there. */
  const copy = (from: number, to: number): Buffer => {
    if (circle === undefined || to <= from) return Buffer.alloc(0)
    const at = from % capacityBytes
    const first = circle.subarray(at, Math.min(at + to - from, capacityBytes))
    return Buffer.concat([first, circle.subarray(0, to - from - first.length)])
  }

  /** The bytes from `start` on, in order; the first line is left out where it was partly overwritten. */
  const readFrom = (start: number): Buffer => {
    const oldest = Math.max(0, written - capacityBytes)
    const from = Math.max(start, oldest)
    const bytes = copy(from, written)
    return from === oldest && oldest > 0 ? bytes.subarray(bytes.indexOf(NEWLINE) + 1) : bytes
  }

  /** The last `count` lines of these. */
  const lastLines = (bytes: Buffer, count: number): Buffer => {
    let from = bytes.length
    for (let found = 0; found < count && from > 0; found += 1) {
      // The byte before `from` ends the line that is looked for.
      from = from < 2 ? 0 : bytes.lastIndexOf(NEWLINE, from - 2) + 1
    }
    return bytes.subarray(from)
  }

  const cursorAt = (start: number, firstLine: number): LogCursor => {
    let at = start
    let line = firstLine
    return {
      read: (maxBytes) => {
        let lost = 0
        if (at < written - capacityBytes) {
          const kept = readFrom(0)
          const next = lines - countLines(kept)
          lost = next - line
          at = written - kept.length
          line = next
        }
        let bytes = copy(at, Math.min(written, at + maxBytes))
        const end = bytes.lastIndexOf(NEWLINE) + 1
        bytes = end > 0 ? bytes.subarray(0, end) : firstLineOf(copy(at, written))
        at += bytes.length
        line += countLines(bytes)
        return { text: bytes.toString('utf8').replaceAll('\r\n', '\n'), lost }
      },
    }
  }

  const lineEnd = Uint8Array.of(NEWLINE)
  const told = (): void => {
    lines += 1
    if (listeners.size > 0) for (const listener of listeners) listener()
  }
  return {
    push(line) {
      append(line)
      append(lineEnd)
      told()
    },
    pushText(line) {
      const at = written % capacityBytes
      circle ??= Buffer.alloc(capacityBytes)
      // Written into its place where it surely fits before the circle's end: no copy is made of it
      if (line.length * MOST_BYTES_A_CHARACTER <= capacityBytes - at) written += circle.write(line, at)
      else append(Buffer.from(line))
      told()
    },
    position: () => written as LogPosition,
    tail(count, since) {
      const bytes = lastLines(readFrom(since ?? 0), count)
      if (bytes.length === 0) return []
      return bytes
        .subarray(0, -1)
        .toString('utf8')
        .split('\n')
        .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    },
    cursor(count) {
      const bytes = lastLines(readFrom(0), count)
      return cursorAt(written - bytes.length, lines - countLines(bytes))
    },
    onLine(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const firstLineOf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.indexOf(NEWLINE) + 1)

const countLines = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1
  return count
}
