import type { Failure } from '@lswap/core'
import { booleanOf, BROKEN, ENDED, SCALAR, START } from './scalar.ts'
import { findStringEnd } from './string-end.ts'

/** Where a value lies in the body: the first byte and the one after its last. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** Told of values at the top level of the object whose key is wanted. */
export interface LexerEvents {
  isWanted(key: string): boolean
  onString(key: string, text: string, place: Place): void
  /** Anything but a string: a boolean, or undefined for the rest. Told when it begins, a boolean when it is read. */
  onOther(key: string, value: boolean | undefined): void
}

export interface Lexer {
  readonly failure: Failure | undefined
  /** The object was closed. */
  readonly isOver: boolean
  readonly isEmpty: boolean
  push(chunk: Uint8Array, isEnough: () => boolean): void
}

/** Deeper than any request that means something, and a bound on what a stranger makes us remember. */
const MAX_DEPTH = 512
/** Longer keys are none that we want, with every letter escaped. */
const MAX_KEY_BYTES = 64
/** No model is called that. */
const MAX_VALUE_BYTES = 8_192

type Expected = 'object' | 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end'

const OBJECT = 1
const ARRAY = 2

/** Reads a JSON object chunk by chunk, without recursion and without keeping chunks. */
export const createLexer = (events: LexerEvents): Lexer => {
  const stack = new Uint8Array(MAX_DEPTH)
  let depth = 0
  let expected: Expected = 'object'
  let offset = 0
  let failure: Failure | undefined
  let isOver = false
  /** The wanted top-level key whose value comes next. */
  let wanted: string | undefined
  let scalar = START
  let inScalar = false
  /** The string that is being read; `kept`: its bytes so far, without quotes, when they matter. */
  let string: { isKey: boolean; start: number; kept: Buffer[] | undefined; bytes: number } | undefined
  let isEscaped = false

  const broken = (at: number): void => {
    failure = {
      code: 'invalid_json',
      message: `The body is not a JSON object: byte ${offset + at} does not belong there.`,
    }
  }

  const keep = (piece: Buffer): void => {
    if (string?.kept === undefined) return
    string.bytes += piece.length
    if (string.bytes <= (string.isKey ? MAX_KEY_BYTES : MAX_VALUE_BYTES)) string.kept.push(piece)
    else if (string.isKey) string.kept = undefined
    else failure = { code: 'model_missing', message: `"${wanted}" is longer than ${MAX_VALUE_BYTES} bytes.` }
  }

  const openString = (at: number, isKey: boolean): void => {
    const matters = isKey ? depth === 1 : wanted !== undefined
    string = { isKey, start: offset + at, kept: matters ? [] : undefined, bytes: 0 }
    isEscaped = false
  }

  const closeString = (at: number): void => {
    const read = string
    string = undefined
    if (read === undefined) return
    expected = read.isKey ? 'colon' : 'comma-or-end'
    if (read.kept === undefined) return
    const text = decode(read.kept)
    if (text === undefined) broken(at)
    else if (read.isKey) wanted = events.isWanted(text) ? text : undefined
    else if (wanted !== undefined) {
      events.onString(wanted, text, { start: read.start, end: offset + at + 1 })
      wanted = undefined
    }
  }

  const open = (at: number, kind: typeof OBJECT | typeof ARRAY): void => {
    if (depth === MAX_DEPTH) {
      failure = { code: 'invalid_json', message: `The body nests deeper than ${MAX_DEPTH} levels.` }
      return
    }
    if (depth === 0 && kind !== OBJECT) return broken(at)
    if (wanted !== undefined) events.onOther(wanted, undefined)
    wanted = undefined
    stack[depth] = kind
    depth += 1
    expected = kind === OBJECT ? 'key-or-end' : 'value-or-end'
  }

  const close = (): void => {
    depth -= 1
    expected = 'comma-or-end'
    if (depth === 0) isOver = true
  }

  const endScalar = (): void => {
    inScalar = false
    expected = 'comma-or-end'
    if (wanted !== undefined) events.onOther(wanted, booleanOf(scalar))
    wanted = undefined
  }

  const startScalar = (at: number, byte: number): void => {
    scalar = SCALAR[(START << 8) | byte] ?? BROKEN
    if (scalar === BROKEN) broken(at)
    else inScalar = true
  }

  /** One byte between strings and scalars. */
  const step = (at: number, byte: number): void => {
    switch (expected) {
      case 'object':
        return byte === 0x7b ? open(at, OBJECT) : broken(at)
      case 'value':
      case 'value-or-end':
        if (byte === 0x22) return openString(at, false)
        if (byte === 0x7b) return open(at, OBJECT)
        if (byte === 0x5b) return open(at, ARRAY)
        if (byte === 0x5d && expected === 'value-or-end') return close()
        return startScalar(at, byte)
      case 'key':
      case 'key-or-end':
        if (byte === 0x22) return openString(at, true)
        return byte === 0x7d && expected === 'key-or-end' ? close() : broken(at)
      case 'colon':
        if (byte !== 0x3a) return broken(at)
        expected = 'value'
        return undefined
      case 'comma-or-end': {
        const isObject = stack[depth - 1] === OBJECT
        if (byte === (isObject ? 0x7d : 0x5d)) return close()
        if (byte !== 0x2c) return broken(at)
        expected = isObject ? 'key' : 'value'
        return undefined
      }
    }
  }

  /** Reads on inside a string; returns where to go on. */
  const readString = (chunk: Buffer, from: number): number => {
    const found = findStringEnd(chunk, from, isEscaped)
    isEscaped = found.isEscaped
    const end = found.at === -1 ? chunk.length : found.at
    if (string?.kept !== undefined) keep(chunk.subarray(from, end))
    if (found.at !== -1 && failure === undefined) closeString(found.at)
    return end + 1
  }

  /** Reads on inside a number or word; returns where to go on. */
  const readScalar = (chunk: Buffer, from: number): number => {
    let at = from
    for (; at < chunk.length; at++) {
      const next = SCALAR[(scalar << 8) | (chunk[at] ?? 0)] ?? BROKEN
      if (next === ENDED) {
        endScalar()
        return at
      }
      if (next === BROKEN) {
        broken(at)
        return at
      }
      scalar = next
    }
    return at
  }

  return {
    get failure() {
      return failure
    },
    get isOver() {
      return isOver
    },
    get isEmpty() {
      return offset === 0
    },
    push: (bytes, isEnough) => {
      const chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let at = 0
      while (at < chunk.length && failure === undefined && !isOver && !isEnough()) {
        if (string !== undefined) at = readString(chunk, at)
        else if (inScalar) at = readScalar(chunk, at)
        else {
          const byte = chunk[at] ?? 0
          if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) step(at, byte)
          at += 1
        }
      }
      offset += chunk.length
    },
  }
}

/** The text of a string between its quotes; undefined: not a JSON string. */
const decode = (kept: readonly Buffer[]): string | undefined => {
  const text = kept.length === 1 && kept[0] ? kept[0].toString('utf8') : Buffer.concat(kept).toString('utf8')
  try {
    const value: unknown = JSON.parse(`"${text}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
