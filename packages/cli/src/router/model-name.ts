import type { Failure } from '@lswap/core'
import { createLexer, type Lexer } from './json/lexer.ts'

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

const MORE: ModelScan = { type: 'more' }

const MISSING: Failure = { code: 'model_missing', message: 'The body has no top-level "model".' }

/**
 * Reads only as far as `model`. What it reads has the structure of JSON or is an error; the insides of strings that it
 * passes over are left to the engine.
 */
export const createModelScanner = (): ModelScanner => {
  let verdict: ModelScan = MORE
  let stream: boolean | undefined

  const lexer: Lexer = createLexer({
    // Escapes and surrogates included, `stream` and `model` are at most 36 bytes
    isWanted: (key) => key === 'model' || key === 'stream',
    onString: (key, text, place) => {
      if (key === 'model') verdict = { type: 'found', model: text, stream, ...place }
    },
    onOther: (key, value) => {
      if (key === 'stream') stream = value
      else verdict = fail({ code: 'model_missing', message: 'The value of "model" is not a string.' })
    },
  })

  const settle = (): ModelScan => {
    if (verdict.type !== 'more') return verdict
    if (lexer.failure !== undefined) verdict = fail(lexer.failure)
    else if (lexer.isOver) verdict = fail(MISSING)
    return verdict
  }

  return {
    push: (chunk) => {
      if (verdict.type !== 'more') return verdict
      lexer.push(chunk, () => verdict.type !== 'more')
      return settle()
    },
    end: () => {
      if (settle().type !== 'more') return verdict
      verdict = fail({
        code: 'invalid_json',
        message: lexer.isEmpty ? 'The body is empty.' : 'The body ends in the middle of its JSON.',
      })
      return verdict
    },
  }
}

const fail = (failure: Failure): ModelScan => ({ type: 'failed', failure })
