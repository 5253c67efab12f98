import type { ConfigFile } from '@lswap/core'

/** What the bytes of a file say: UTF-8, or UTF-16 where the file begins with its mark (as PowerShell writes it). */
export const decodeConfig = (bytes: Buffer): Omit<ConfigFile, 'file'> => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes) }
  if (first === 0xfe && second === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes) }
  // Drops the mark of UTF-8; a byte that is none becomes U+FFFD
  const text = new TextDecoder().decode(bytes)
  const zero = text.indexOf('\0')
  if (zero !== -1) return { text, problem: { at: zero, message: NOT_TEXT } }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text }
  } catch {
    return { text, problem: { at: firstBroken(bytes, text), message: NOT_UTF8 } }
  }
}

const NOT_TEXT = 'a NUL character: this is not text, or UTF-16 without its mark; save the file as UTF-8'
const NOT_UTF8 = 'this is not UTF-8, perhaps Latin-1 or Windows-1252; save the file as UTF-8'

/** Where the first character stands that the bytes do not have: a file may hold U+FFFD itself. */
const firstBroken = (bytes: Buffer, text: string): number => {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let at = text.indexOf(BROKEN)
  let offset = (hasMark ? 3 : 0) + Buffer.byteLength(text.slice(0, at))
  while (at !== -1 && bytes.indexOf(BROKEN_BYTES, offset) === offset) {
    const next = text.indexOf(BROKEN, at + 1)
    offset += Buffer.byteLength(text.slice(at, next))
    at = next
  }
  return Math.max(0, at)
}

const BROKEN = '\uFFFD'
const BROKEN_BYTES = Buffer.from(BROKEN)
