/** Longest line that is kept in one piece; more is cut into several, so that output without line ends stays bounded. */
const MAX_LINE_BYTES = 16_384

const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)

/** Where to cut at or a little before `at`, so that no character is torn apart. */
const characterBoundary = (bytes: Buffer, at: number): number => {
  for (let cut = at; cut > at - 4 && cut > 0; cut -= 1) {
    if ((bytes.readUInt8(cut) & 0xc0) !== 0x80) return cut
  }
  return at
}

export interface LineSplitter {
  write(chunk: Buffer): void
  /** The stream ended: what is left counts as a line. */
  end(): void
}

/** Cuts a byte stream into lines without their line end. Lines handed out are valid only during the call. */
export const createLineSplitter = (
  onLine: (line: Buffer) => void,
  maxLineBytes: number = MAX_LINE_BYTES,
): LineSplitter => {
  let pending = EMPTY

  const cutLong = (bytes: Buffer): Buffer => {
    let rest = bytes
    while (rest.length > maxLineBytes) {
      const cut = characterBoundary(rest, maxLineBytes)
      onLine(rest.subarray(0, cut))
      rest = rest.subarray(cut)
    }
    return rest
  }

  return {
    write(chunk) {
      const bytes = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
      let from = 0
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        onLine(cutLong(bytes.subarray(from, end)))
        from = end + 1
      }
      // A copy: a short rest must not hold the whole chunk in memory.
      pending = from === bytes.length ? EMPTY : Buffer.from(cutLong(bytes.subarray(from)))
    },
    end() {
      if (pending.length > 0) onLine(pending)
      pending = EMPTY
    },
  }
}
