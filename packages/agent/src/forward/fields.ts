import { BrokenResponse } from './broken-response.ts'

/** Bytes of a head, or of the trailers, in all: what common servers and proxies allow, several times over. */
const BLOCK_LIMIT_BYTES = 64 * 1024

const LF = 10
const CR = 13
const TAB = 9
const SPACE = 32
const COLON = 58

const isTokenChar = new Uint8Array(256)
for (const char of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isTokenChar[char.charCodeAt(0)] = 1
}

/**
 * Collects lines up to the empty one, however they are cut. A line that ends in a bare LF is refused at once: parsers
 * that disagree about it can be made to see different messages, and waiting for a CRLF that never comes would hang.
 */
export class FieldBlock {
  /** All lines, each with its CRLF, without the empty one; valid once `complete`. */
  text = ''
  complete = false
  private previous: number | undefined = 0
  private lineLength = 0

  /** Returns where it stopped: behind the empty line, or at `to`. */
  take(bytes: Buffer, at: number, to: number): number {
    const end = Math.min(to, at + BLOCK_LIMIT_BYTES - this.text.length)
    let previous = this.previous
    let lineLength = this.lineLength
    for (let i = at; i < end; i += 1) {
      const byte = bytes[i]
      if (byte !== LF) {
        lineLength += 1
      } else {
        if (previous !== CR) throw new BrokenResponse('a line ends without CR')
        if (lineLength === 1) return this.finish(bytes, at, i + 1)
        lineLength = 0
      }
      previous = byte
    }
    if (end < to || end - at + this.text.length === BLOCK_LIMIT_BYTES) {
      throw new BrokenResponse(`a head or trailer of more than ${BLOCK_LIMIT_BYTES} bytes`)
    }
    this.text += bytes.toString('latin1', at, end)
    this.previous = previous
    this.lineLength = lineLength
    return end
  }

  private finish(bytes: Buffer, at: number, end: number): number {
    const read = bytes.toString('latin1', at, end)
    // The CRLF of the empty line may have begun in an earlier read.
    const whole = this.text === '' ? read : this.text + read
    this.text = whole.slice(0, -2)
    this.complete = true
    return end
  }
}

/** Raw name, value, …, of the lines of `text` from `at` on; each line ends in CRLF. */
export const parseFields = (text: string, at: number): string[] => {
  const fields: string[] = []
  let start = at
  while (start < text.length) {
    let colon = start
    while (isTokenChar[text.charCodeAt(colon)] === 1) colon += 1
    if (colon === start || text.charCodeAt(colon) !== COLON) throw new BrokenResponse(badName(text, start))
    const end = text.indexOf('\r\n', colon)
    fields.push(text.slice(start, colon), fieldValue(text, colon + 1, end))
    start = end + 2
  }
  return fields
}

const badName = (text: string, start: number): string => {
  const first = text.charCodeAt(start)
  return first === SPACE || first === TAB ? 'a folded header line' : 'a header line without a proper name'
}

/** The text between, trimmed of blanks, if every character may stand in a field: Node refuses to write others. */
export const fieldValue = (text: string, from: number, to: number): string => {
  let start = from
  let end = to
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  for (let i = start; i < end; i += 1) {
    const code = text.charCodeAt(i)
    if ((code < SPACE && code !== TAB) || code === 127) throw new BrokenResponse('a control character in the head')
  }
  return text.slice(start, end)
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB
