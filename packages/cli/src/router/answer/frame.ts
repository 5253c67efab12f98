/** Larger ones are not worth a copy. */
export const FRAME_LIMIT_BYTES = 16 * 1024

const CR = 0x0d
const LF = 0x0a
const DIGITS = Buffer.from('0123456789abcdef')

/** A chunk as it goes over the wire, in one piece. */
export const framed = (chunk: Buffer): Buffer => {
  const { length } = chunk
  let digits = 1
  for (let rest = length >>> 4; rest > 0; rest >>>= 4) digits += 1
  const bytes = Buffer.allocUnsafe(digits + length + 4)
  for (let at = digits - 1, rest = length; at >= 0; at -= 1, rest >>>= 4) bytes[at] = DIGITS[rest & 15] ?? 0
  bytes[digits] = CR
  bytes[digits + 1] = LF
  chunk.copy(bytes, digits + 2)
  bytes[digits + 2 + length] = CR
  bytes[digits + 3 + length] = LF
  return bytes
}
