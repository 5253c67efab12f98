import type { Process } from './host.ts'
import { createPromptCache } from './prompt-cache.ts'
import type { Trace } from './trace/trace.ts'
import { summariseWaits, type WaitSummary } from './waits.ts'

/** What became of prompts, in a trace that has them. */
export interface PromptResult {
  /** Of those that were granted. */
  readonly tokens: number
  /** Of these, what their engine had in its cache. */
  readonly foundTokens: number
  /** From arrival to the first token of the answer. */
  readonly firstTokens: WaitSummary
}

/** Plays what engines do with prompts. */
export interface PromptBook {
  /** A request is granted; returns how long reading its prompt takes. */
  begin(place: number, process: Process, now: number): number
  end(place: number, process: Process): void
  /** Undefined: the trace has no prompts. */
  result(): PromptResult | undefined
}

const NO_PROMPTS: PromptBook = { begin: () => 0, end: () => {}, result: () => undefined }

export const createPromptBook = ({ at, length, prompts, tokens: answers }: Trace): PromptBook => {
  if (prompts === undefined) return NO_PROMPTS
  const firstAfter = new Float64Array(length)
  const sums = { count: 0, tokens: 0, foundTokens: 0 }
  return {
    begin: (place, process, now) => {
      const prompt = prompts[place]
      if (prompt === undefined) return 0
      process.cache ??= createPromptCache(process.times.cacheTokens)
      const found = process.cache.read(prompt)
      const readMs = (prompt.tokens - found) * process.times.msPerPromptToken
      firstAfter[sums.count] = now + readMs - (at[place] as number)
      sums.count += 1
      sums.tokens += prompt.tokens
      sums.foundTokens += found
      return readMs
    },
    end: (place, { cache }) => {
      const prompt = prompts[place]
      if (prompt !== undefined) cache?.write(prompt, answers[place] as number)
    },
    result: () => ({
      tokens: sums.tokens,
      foundTokens: sums.foundTokens,
      firstTokens: summariseWaits(firstAfter.slice(0, sums.count)),
    }),
  }
}
