/** Output kept per model. */
const LOG_RING_BYTES = 1_048_576

const NEWLINE = 0x0a

/** A place in the output of a model: bytes written before it, since the ring was made. */
export type LogPosition = number & { readonly brand: 'LogPosition' }

export interface LogRing {
  /** One line without its end; must be shorter than the ring. */
  push(line: Uint8Array): void
  position(): LogPosition
  /** The last `count` lines, oldest first; only those written after `since` when it is given. */
  tail(count: number, since?: LogPosition): string[]
}

/**
 * The last bytes of an output, in whole lines: a fixed circle of bytes, so that a flood of short lines costs no
 * more memory than a few long ones and a line costs one copy.
 */
export const createLogRing = (capacityBytes: number = LOG_RING_BYTES): LogRing => {
  let circle: Buffer | undefined
  let written = 0

  const append = (bytes: Uint8Array): void => {
    circle ??= Buffer.alloc(capacityBytes)
    const at = written % capacityBytes
    const first = Math.min(bytes.length, capacityBytes - at)
    circle.set(bytes.subarray(0, first), at)
    circle.set(bytes.subarray(first), 0)
    written += bytes.length
  }

  /** The bytes from `start` on, in order; the first line is left out where it was partly overwritten. */
  const readFrom = (start: number): Buffer => {
    if (circle === undefined) return Buffer.alloc(0)
    const oldest = Math.max(0, written - capacityBytes)
    const from = Math.max(start, oldest)
    const at = from % capacityBytes
    const bytes = Buffer.concat([circle.subarray(at), circle.subarray(0, at)]).subarray(0, written - from)
    return from === oldest && oldest > 0 ? bytes.subarray(bytes.indexOf(NEWLINE) + 1) : bytes
  }

  const lineEnd = Uint8Array.of(NEWLINE)
  return {
    push(line) {
      append(line)
      append(lineEnd)
    },
    position: () => written as LogPosition,
    tail(count, since) {
      const bytes = readFrom(since ?? 0)
      let from = bytes.length
      for (let lines = 0; lines < count && from > 0; lines += 1) {
        // The byte before `from` ends the line that is looked for.
        from = from < 2 ? 0 : bytes.lastIndexOf(NEWLINE, from - 2) + 1
      }
      if (from === bytes.length) return []
      return bytes
        .subarray(from, -1)
        .toString('utf8')
        .split('\n')
        .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    },
  }
}
