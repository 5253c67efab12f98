import type { Failure } from '@lswap/core'
import type { LexerEvents, Member, Place } from './json/events.ts'
import { Lexer, MAX_KEY_BYTES } from './json/lexer.ts'

/** A member that a filter may be about. */
export interface FoundMember extends Member {
  /** Where the comma behind it is; undefined for the last. */
  readonly next: number | undefined
}

/** `start` and `end` bound the value of `model`, quotes and all, counted from the body's first byte. */
export interface FoundModel {
  readonly type: 'found'
  readonly model: string
  /** Only when it came before `model`, or the whole object was wanted: nothing is read for its sake. */
  readonly stream: boolean | undefined
  readonly start: number
  readonly end: number
  /** Those with a filtered key, in the order of the body; all of them only where the whole object was wanted. */
  readonly members: readonly FoundMember[]
  /** What the field of a form says; a form is not edited. */
  readonly inForm?: string
}

/** What the bytes so far tell. */
export type ModelScan =
  | { readonly type: 'more' }
  | FoundModel
  /** The path names the model, and nothing in the body can be edited. */
  | { readonly type: 'named'; readonly model: string }
  /** `isWhole`: nothing is wrong with it but that it names no model at all. */
  | { readonly type: 'failed'; readonly failure: Failure; readonly isWhole?: boolean }

/** Finds the top-level `model` of a JSON object that comes in chunks. */
export interface ModelScanner {
  push(chunk: Uint8Array): ModelScan
  /** The body is over. */
  end(): ModelScan
}

export interface ScannerOptions {
  /** Keys that a filter of some model is about. */
  readonly filteredKeys: ReadonlySet<string>
  /** How long one of them may be as it is written, with its escapes. */
  readonly maxKeyBytes: number
  /** Whether the whole object must be read before a request for the name goes on. */
  readonly needsAll: (model: string) => boolean
}

const NO_FILTER: ScannerOptions = { filteredKeys: new Set(), maxKeyBytes: 0, needsAll: () => false }

/**
 * Reads only as far as `model`, or the whole object where it is asked to. What it reads has the structure of JSON or is
 * an error; the insides of strings that it passes over are left to the engine.
 */
export const createModelScanner = (options = NO_FILTER): ModelScanner => new Scanner(options)

const MORE: ModelScan = { type: 'more' }
/** No client means more, and each costs memory. */
const MAX_MEMBERS = 1_000

class Scanner implements ModelScanner, LexerEvents {
  readonly #options: ScannerOptions
  readonly #lexer: Lexer
  readonly #members: { -readonly [Key in keyof FoundMember]: FoundMember[Key] }[] = []
  #verdict: ModelScan = MORE
  #found: FoundModel | undefined
  #stream: boolean | undefined

  constructor(options: ScannerOptions) {
    this.#options = options
    this.#lexer = new Lexer(this, Math.max(MAX_KEY_BYTES, options.maxKeyBytes))
  }

  push(chunk: Uint8Array): ModelScan {
    if (this.#verdict === MORE) {
      this.#lexer.push(chunk)
      this.#settle()
    }
    return this.#verdict
  }

  end(): ModelScan {
    if (this.#verdict === MORE) {
      const isEmpty = this.#lexer.offset === 0
      this.#fail('invalid_json', isEmpty ? 'The body is empty.' : 'The body ends in the middle of its JSON.')
    }
    return this.#verdict
  }

  wants(key: string): 'value' | 'place' | undefined {
    if (key === 'model') return 'value'
    if (this.#options.filteredKeys.has(key)) return 'place'
    return key === 'stream' ? 'value' : undefined
  }

  onString(key: string, text: string, { start, end }: Place): void {
    if (key !== 'model') return
    if (this.#found !== undefined) return this.#fail('invalid_json', 'The body has two "model" keys.')
    this.#found = { type: 'found', model: text, stream: this.#stream, start, end, members: this.#members }
    if (this.#options.needsAll(text)) return
    this.#lexer.isEnough = true
    this.#verdict = this.#found
  }

  onOther(key: string, value: boolean | undefined): void {
    if (key === 'stream') this.#stream = value
    else if (this.#found === undefined) this.#fail('model_missing', 'The value of "model" is not a string.')
    else this.#fail('invalid_json', 'The body has two "model" keys.')
  }

  onMember(member: Member): void {
    if (this.#members.length < MAX_MEMBERS) this.#members.push({ ...member, next: undefined })
    else this.#fail('invalid_json', `The body repeats keys: "${member.key}" and others ${MAX_MEMBERS} times.`)
  }

  onComma(at: number): void {
    const last = this.#members.at(-1)
    if (last !== undefined) last.next ??= at
  }

  #fail(code: Failure['code'], message: string, isWhole = false): void {
    this.#lexer.isEnough = true
    this.#verdict = { type: 'failed', failure: { code, message }, isWhole }
  }

  #settle(): void {
    const { failure, isOver } = this.#lexer
    if (this.#verdict !== MORE) return
    if (failure !== undefined) this.#verdict = { type: 'failed', failure }
    else if (isOver && this.#found !== undefined) this.#verdict = { ...this.#found, stream: this.#stream }
    else if (isOver) this.#fail('model_missing', 'The body has no top-level "model".', true)
  }
}
