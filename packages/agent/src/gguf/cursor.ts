/** A value of a GGUF header; arrays of texts count only. */
export type GgufValue = string | number | boolean | readonly number[] | { readonly count: number }

const UNSIGNED_8 = 0
const BOOLEAN = 7
const STRING = 8
const ARRAY = 9

type Read = (bytes: Buffer, at: number) => number

/** How wide a value of a kind is, and how it is read. */
const NUMBERS: ReadonlyMap<number, readonly [width: number, read: Read]> = new Map<number, readonly [number, Read]>([
  [UNSIGNED_8, [1, (bytes, at) => bytes.readUInt8(at)]],
  [1, [1, (bytes, at) => bytes.readInt8(at)]],
  [2, [2, (bytes, at) => bytes.readUInt16LE(at)]],
  [3, [2, (bytes, at) => bytes.readInt16LE(at)]],
  [4, [4, (bytes, at) => bytes.readUInt32LE(at)]],
  [5, [4, (bytes, at) => bytes.readInt32LE(at)]],
  [6, [4, (bytes, at) => bytes.readFloatLE(at)]],
  [BOOLEAN, [1, (bytes, at) => bytes.readUInt8(at)]],
  [10, [8, (bytes, at) => Number(bytes.readBigUInt64LE(at))]],
  [11, [8, (bytes, at) => Number(bytes.readBigInt64LE(at))]],
  [12, [8, (bytes, at) => bytes.readDoubleLE(at)]],
])

/** Arrays of numbers with a value for each layer are kept; longer ones are of the vocabulary. */
const KEPT_NUMBERS = 1_024

/** Reads on in a header. Throws `RangeError` beyond the bytes that are there. */
export class Cursor {
  readonly #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  long(): number {
    const value = Number(this.#bytes.readBigUInt64LE(this.#at))
    this.#at += 8
    return value
  }

  text(): string {
    const length = this.long()
    this.#need(length)
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length)
    this.#at += length
    return text
  }

  /** Undefined: a kind that did not exist when this was written, so nobody knows where the next one begins. */
  value(): GgufValue | undefined {
    const kind = this.#kind()
    if (kind === STRING) return this.text()
    return kind === ARRAY ? this.#array() : this.#number(kind)
  }

  #kind(): number {
    const kind = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    return kind
  }

  #number(kind: number): number | boolean | undefined {
    const [width, read] = NUMBERS.get(kind) ?? []
    if (width === undefined || read === undefined) return undefined
    const value = read(this.#bytes, this.#at)
    this.#at += width
    return kind === BOOLEAN ? value !== 0 : value
  }

  #array(): GgufValue | undefined {
    const kind = this.#kind()
    const count = this.long()
    if (kind === STRING) {
      const before = this.#at
      try {
        for (let at = 0; at < count; at += 1) this.text()
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        // Its length is known, what comes behind it is not
        this.#at = Math.max(before, this.#bytes.length)
      }
      return { count }
    }
    const [width] = NUMBERS.get(kind) ?? []
    if (width === undefined) return undefined
    if (count > KEPT_NUMBERS) {
      this.#at += width * count
      return { count }
    }
    return Array.from({ length: count }, () => Number(this.#number(kind)))
  }

  #need(length: number): void {
    if (this.#at + length > this.#bytes.length) throw new RangeError('beyond the head')
  }
}
