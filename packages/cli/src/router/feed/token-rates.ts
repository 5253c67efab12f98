import type { Clock } from '../clock.ts'
import { createRate, type Rate } from './rate.ts'

/** Tokens that engines made lately. They are counted when their answer is over: until then nobody told of them. */
export interface TokenRates {
  add(model: string, tokens: number): void
  /** Of a model, or of all. */
  perSecond(model?: string): number
}

/** Long enough that answers of half a minute do not come as bursts. */
const WINDOW_S = 60

export const createTokenRates = (clock: Pick<Clock, 'now'>): TokenRates => {
  const all = createRate(clock, WINDOW_S)
  const byModel = new Map<string, Rate>()
  return {
    add: (model, tokens) => {
      all.count(tokens)
      const known = byModel.get(model) ?? createRate(clock, WINDOW_S)
      known.count(tokens)
      byModel.set(model, known)
    },
    perSecond: (model) => Math.round((model === undefined ? all : byModel.get(model))?.perSecond() ?? 0),
  }
}
