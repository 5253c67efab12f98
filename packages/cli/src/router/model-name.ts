import type { Failure } from '@lswap/core'
import { Lexer, type LexerEvents, type Place } from './json/lexer.ts'

/** What the bytes so far tell. `start` and `end` bound the value of `model`, quotes and all, counted from the body's first byte. */
export type ModelScan =
  | { readonly type: 'more' }
  | {
      readonly type: 'found'
      readonly model: string
      /** Only when it came before `model`: nothing is read for its sake. */
      readonly stream: boolean | undefined
      readonly start: number
      readonly end: number
    }
  | { readonly type: 'failed'; readonly failure: Failure }

/** Finds the top-level `model` of a JSON object that comes in chunks. */
export interface ModelScanner {
  push(chunk: Uint8Array): ModelScan
  /** The body is over. */
  end(): ModelScan
}

/**
 * Reads only as far as `model`. What it reads has the structure of JSON or is an error; the insides of strings that it
 * passes over are left to the engine.
 */
export const createModelScanner = (): ModelScanner => new Scanner()

const MORE: ModelScan = { type: 'more' }

class Scanner implements ModelScanner, LexerEvents {
  readonly #lexer = new Lexer(this)
  #verdict: ModelScan = MORE
  #stream: boolean | undefined

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
      const message = isEmpty ? 'The body is empty.' : 'The body ends in the middle of its JSON.'
      this.#fail({ code: 'invalid_json', message })
    }
    return this.#verdict
  }

  isWanted(key: string): boolean {
    return key === 'model' || key === 'stream'
  }

  onString(key: string, text: string, { start, end }: Place): void {
    if (key !== 'model') return
    this.#lexer.isEnough = true
    this.#verdict = { type: 'found', model: text, stream: this.#stream, start, end }
  }

  onOther(key: string, value: boolean | undefined): void {
    if (key === 'stream') this.#stream = value
    else this.#fail({ code: 'model_missing', message: 'The value of "model" is not a string.' })
  }

  #fail(failure: Failure): void {
    this.#lexer.isEnough = true
    this.#verdict = { type: 'failed', failure }
  }

  #settle(): void {
    const { failure, isOver } = this.#lexer
    if (this.#verdict !== MORE) return
    if (failure !== undefined) this.#fail(failure)
    else if (isOver) this.#fail({ code: 'model_missing', message: 'The body has no top-level "model".' })
  }
}
