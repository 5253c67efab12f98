import { open } from 'node:fs/promises'

/** What the beginning of a GGUF file tells. */
export interface GgufHeader {
  /** As in `general.architecture`: llama, qwen3, bert, clip … */
  readonly architecture: string | undefined
  /** As in `general.type`: model, adapter, mmproj. */
  readonly type: string | undefined
  /** How it makes one vector of many: 0 none, 1 mean, 2 CLS, 3 last, 4 rank. Only models for that have it. */
  readonly pooling: number | undefined
}

/** Everything of interest comes before the vocabulary, which is by far the largest part. */
const HEAD_BYTES = 64 * 1024
const MAX_KEYS = 500

/** Reads the header of a file; undefined: it is no GGUF file, or can not be read. */
export const readGgufHeader = async (path: string): Promise<GgufHeader | undefined> => {
  const file = await open(path, 'r').catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0)
    return parseHeader(bytes.subarray(0, bytesRead))
  } catch {
    return undefined
  } finally {
    await file.close()
  }
}

const parseHeader = (bytes: Buffer): GgufHeader | undefined => {
  if (bytes.length < 24 || bytes.toString('latin1', 0, 4) !== 'GGUF') return undefined
  const keys = new Map<string, string | number>()
  const cursor = new Cursor(bytes, 16)
  try {
    const count = Math.min(cursor.long(), MAX_KEYS)
    for (let at = 0; at < count; at += 1) {
      const key = cursor.text()
      const value = cursor.value()
      // Behind an array nothing is of interest, and its length would have to be found
      if (value === undefined) break
      keys.set(key, value)
    }
  } catch (error) {
    // The head that was read ends here
    if (!(error instanceof RangeError)) throw error
  }
  const architecture = textOf(keys.get('general.architecture'))
  const pooling = keys.get(`${architecture ?? ''}.pooling_type`)
  return {
    architecture,
    type: textOf(keys.get('general.type')),
    pooling: typeof pooling === 'number' ? pooling : undefined,
  }
}

const textOf = (value: string | number | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

const STRING = 8
/** Bytes of the other kinds of values: u8, i8, u16, i16, u32, i32, f32, bool, and from 10 on u64, i64, f64. */
const WIDTHS: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [7, 1],
  [10, 8],
  [11, 8],
  [12, 8],
])
const U32 = 4

class Cursor {
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
    if (this.#at + length > this.#bytes.length) throw new RangeError('beyond the head')
    const text = this.#bytes.toString('utf8', this.#at, this.#at + length)
    this.#at += length
    return text
  }

  /** Undefined: an array, or a kind that did not exist when this was written. */
  value(): string | number | undefined {
    const kind = this.#bytes.readUInt32LE(this.#at)
    this.#at += 4
    if (kind === STRING) return this.text()
    const width = WIDTHS.get(kind)
    if (width === undefined) return undefined
    const value = kind === U32 ? this.#bytes.readUInt32LE(this.#at) : 0
    this.#at += width
    return value
  }
}
