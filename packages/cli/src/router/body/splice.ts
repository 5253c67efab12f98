/** Bytes from `start` to `end`, counted from the body's first, that others take the place of. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly bytes: Uint8Array
}

/** How much longer a body gets. */
export const growth = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0)

/** Edits a body chunk by chunk, without copying what stays. */
export type Splicer = (chunk: Uint8Array) => readonly Uint8Array[]

const whole: Splicer = (chunk) => [chunk]

/** `edits`: in the order of the body, without overlaps. */
export const createSplicer = (edits: readonly Edit[]): Splicer => {
  if (edits.length === 0) return whole
  let done = 0
  let offset = 0
  // Up to where the body is copied or left out already
  let at = 0
  return (chunk) => {
    const result: Uint8Array[] = []
    const add = (piece: Uint8Array): void => {
      if (piece.length > 0) result.push(piece)
    }
    const end = offset + chunk.length
    for (let edit = edits[done]; edit !== undefined && edit.start <= end; edit = edits[++done]) {
      add(chunk.subarray(Math.max(0, at - offset), Math.max(0, edit.start - offset)))
      add(edit.bytes)
      at = edit.end
    }
    if (at < end) add(chunk.subarray(Math.max(0, at - offset)))
    at = Math.max(at, end)
    offset = end
    return result
  }
}
