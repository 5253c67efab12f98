import { open } from 'node:fs/promises'
import { Cursor, type GgufValue } from './cursor.ts'

/** What the beginning of a GGUF file tells. */
export interface GgufHeader {
  /** As in `general.architecture`: llama, qwen3, bert, clip … */
  readonly architecture: string | undefined
  /** As in `general.type`: model, adapter, mmproj. */
  readonly type: string | undefined
  /** How it makes one vector of many: 0 none, 1 mean, 2 CLS, 3 last, 4 rank. Only models for that have it. */
  readonly pooling: number | undefined
  /** Everything that was read. */
  readonly values: ReadonlyMap<string, GgufValue>
}

/** Everything of interest comes before the vocabulary, which is by far the largest part, or is its length. */
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
  const values = new Map<string, GgufValue>()
  const cursor = new Cursor(bytes, 16)
  try {
    const count = Math.min(cursor.long(), MAX_KEYS)
    for (let at = 0; at < count; at += 1) {
      const key = cursor.text()
      const value = cursor.value()
      if (value === undefined) break
      values.set(key, value)
    }
  } catch (error) {
    // The head that was read ends here
    if (!(error instanceof RangeError)) throw error
  }
  const architecture = textOf(values.get('general.architecture'))
  const pooling = values.get(`${architecture ?? ''}.pooling_type`)
  return {
    architecture,
    type: textOf(values.get('general.type')),
    pooling: typeof pooling === 'number' ? pooling : undefined,
    values,
  }
}

const textOf = (value: GgufValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined)
