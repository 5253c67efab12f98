import { bandOf, type Band } from '@lswap/core'
import type { Tokens } from '../usage/metered.ts'
import { Distribution } from './distribution.ts'

/** What is counted of one model, found once a request. */
export class ModelSeries {
  /** Requests that ended, by HTTP status. */
  readonly codes = new Map<number, number>()
  readonly duration = new Distribution()
  /** Of the bands that somebody asked in. */
  readonly waits = new Map<Band, Distribution>()
  /** Of the kinds that somebody told of. */
  readonly tokens = new Map<TokenKind, number>()
  firstToken: Distribution | undefined

  addRequest(status: number, seconds: number): void {
    this.codes.set(status, (this.codes.get(status) ?? 0) + 1)
    this.duration.add(seconds)
  }

  addWait(priority: number, seconds: number): void {
    const band = bandOf(priority)
    let wait = this.waits.get(band)
    if (wait === undefined) {
      wait = new Distribution()
      this.waits.set(band, wait)
    }
    wait.add(seconds)
  }

  addTokens({ prompt, cached, completion, isEstimated, firstTokenMs }: Tokens): void {
    this.#add('prompt', prompt)
    this.#add('cached', cached)
    this.#add(isEstimated ? 'completion_estimated' : 'completion', completion)
    if (firstTokenMs === undefined) return
    this.firstToken ??= new Distribution()
    this.firstToken.add(firstTokenMs / 1000)
  }

  #add(kind: TokenKind, count: number | undefined): void {
    if (count !== undefined) this.tokens.set(kind, (this.tokens.get(kind) ?? 0) + count)
  }
}

type TokenKind = 'prompt' | 'cached' | 'completion' | 'completion_estimated'
