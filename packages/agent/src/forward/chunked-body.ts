import { BrokenResponse } from './broken-response.ts'
import { FieldBlock, parseFields } from './fields.ts'

/** No chunk is that large; a larger number is an attack or a desync. */
const CHUNK_LIMIT_BYTES = 2 ** 40
/** Hex digits with leading zeros, and extensions, of one chunk-size line. */
const SIZE_LINE_LIMIT = 4096

const CR = 13
const LF = 10
const SEMICOLON = 59
const SPACE = 32
const TAB = 9

type State = 'size' | 'extension' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'trailers' | 'done'

/**
 * Takes the frames off a chunked body, however they are cut. The payload itself is not touched: where `remaining` is
 * above 0, the next bytes are payload and the caller takes up to so many.
 */
export class ChunkedBody {
  /** Payload bytes of the current chunk that are still to come. */
  remaining = 0
  trailers: readonly string[] = []
  private state: State = 'size'
  private size = 0
  private digits = 0
  private lineLength = 0
  private readonly block = new FieldBlock()

  get done(): boolean {
    return this.state === 'done'
  }

  /** Reads framing up to the next payload byte, the end of the body, or `to`; returns where it stopped. */
  skipFraming(bytes: Buffer, from: number, to: number): number {
    let at = from
    while (at < to) {
      if (this.state === 'trailers') return this.readTrailers(bytes, at, to)
      if (this.state === 'data') {
        if (this.remaining > 0) return at
        this.state = 'data-cr'
      }
      this.step(bytes[at] as number)
      at += 1
      if (this.remaining > 0) return at
    }
    return at
  }

  private step(byte: number): void {
    switch (this.state) {
      case 'size':
        this.stepSize(byte)
        break
      case 'extension':
        this.lineLength += 1
        if (this.lineLength > SIZE_LINE_LIMIT) throw new BrokenResponse('a chunk extension that is too long')
        if (byte === LF) throw new BrokenResponse('a chunk size line ends without CR')
        if (byte === CR) this.state = 'size-lf'
        break
      case 'size-lf':
        if (byte !== LF) throw new BrokenResponse('a chunk size line with a bare CR')
        this.beginChunk()
        break
      case 'data-cr':
        if (byte !== CR) throw new BrokenResponse('a chunk longer than its size')
        this.state = 'data-lf'
        break
      default:
        if (byte !== LF) throw new BrokenResponse('a chunk longer than its size')
        this.state = 'size'
    }
  }

  private stepSize(byte: number): void {
    const digit = hexDigit(byte)
    if (digit >= 0) {
      this.size = this.size * 16 + digit
      this.digits += 1
      if (this.size > CHUNK_LIMIT_BYTES || this.digits > SIZE_LINE_LIMIT) {
        throw new BrokenResponse('a chunk size that is too large')
      }
    } else if (this.digits === 0) {
      throw new BrokenResponse('no chunk size where one is due')
    } else if (byte === CR) {
      this.state = 'size-lf'
    } else if (byte === SEMICOLON || byte === SPACE || byte === TAB) {
      this.state = 'extension'
    } else {
      throw new BrokenResponse('a chunk size that is no hexadecimal number')
    }
  }

  private beginChunk(): void {
    this.state = this.size === 0 ? 'trailers' : 'data'
    this.remaining = this.size
    this.size = 0
    this.digits = 0
    this.lineLength = 0
  }

  private readTrailers(bytes: Buffer, at: number, to: number): number {
    const end = this.block.take(bytes, at, to)
    if (this.block.complete) {
      this.trailers = parseFields(this.block.text, 0)
      this.state = 'done'
    }
    return end
  }
}

const hexDigit = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
