/** Replaces the bytes from `start` to `end` of a body that lies in chunks, without copying the others. */
export const splice = (
  chunks: readonly Uint8Array[],
  { start, end }: { readonly start: number; readonly end: number },
  replacement: Uint8Array,
): Uint8Array[] => {
  const result: Uint8Array[] = []
  let offset = 0
  let isPlaced = false
  const add = (piece: Uint8Array): void => {
    if (piece.length > 0) result.push(piece)
  }
  for (const chunk of chunks) {
    const next = offset + chunk.length
    add(chunk.subarray(0, Math.max(0, start - offset)))
    if (!isPlaced && next >= start) {
      add(replacement)
      isPlaced = true
    }
    add(chunk.subarray(Math.min(chunk.length, Math.max(0, end - offset))))
    offset = next
  }
  return result
}
