/** Tokens of one answer, as far as the engine tells. */
export interface Usage {
  /** Of the whole prompt, whether they were computed or not. */
  readonly prompt: number | undefined
  /** Those of the prompt that were in a cache. */
  readonly cached: number | undefined
  readonly completion: number | undefined
  /** How long the engine read the prompt. */
  readonly promptMs: number | undefined
}

/** No object that is looked for is longer. */
const MAX_CHARACTERS = 1_024

/**
 * Finds usage in (parts of) an answer, of OpenAI's shapes or Anthropic's, and llama.cpp's `timings` where there is none. Inside
 * of strings quotes are escaped, so that no text that a model writes is taken for it. Nothing is parsed beyond that: it is
 * done for every answer.
 */
export const readUsage = (text: string): Usage => {
  const lastAt = text.lastIndexOf('"usage":')
  const firstAt = lastAt < 0 ? -1 : text.indexOf('"usage":')
  // What comes later counts; what only the first tells, as Anthropic's do of the prompt, comes from there
  const last = behind(text, lastAt)
  const first = firstAt === lastAt ? undefined : behind(text, firstAt)
  const timings = behind(text, text.lastIndexOf('"timings":'))
  return {
    prompt: promptOf(last) ?? promptOf(first) ?? computedAndCached(timings),
    cached: cachedOf(last) ?? cachedOf(first) ?? numberIn(timings, '"cache_n":'),
    completion: completionOf(last) ?? completionOf(first) ?? numberIn(timings, '"predicted_n":'),
    promptMs: numberIn(timings, '"prompt_ms":'),
  }
}

const behind = (text: string, at: number): string | undefined =>
  at < 0 ? undefined : text.slice(at, at + MAX_CHARACTERS)

/** Anthropic counts what was cached apart, OpenAI within. */
const promptOf = (usage: string | undefined): number | undefined => {
  const all = numberIn(usage, '"prompt_tokens":')
  if (all !== undefined) return all
  const input = numberIn(usage, '"input_tokens":')
  if (input === undefined) return undefined
  const read = numberIn(usage, '"cache_read_input_tokens":') ?? 0
  return input + read + (numberIn(usage, '"cache_creation_input_tokens":') ?? 0)
}

const cachedOf = (usage: string | undefined): number | undefined =>
  numberIn(usage, '"cached_tokens":') ?? numberIn(usage, '"cache_read_input_tokens":')

const completionOf = (usage: string | undefined): number | undefined =>
  numberIn(usage, '"completion_tokens":') ?? numberIn(usage, '"output_tokens":')

const computedAndCached = (timings: string | undefined): number | undefined => {
  const computed = numberIn(timings, '"prompt_n":')
  return computed === undefined ? undefined : computed + (numberIn(timings, '"cache_n":') ?? 0)
}

const numberIn = (text: string | undefined, key: string): number | undefined => {
  const at = text?.indexOf(key) ?? -1
  return text === undefined || at < 0 ? undefined : numberAt(text, at + key.length)
}

/** A number and what ends it: of one that is cut nobody knows the rest. Read by hand: a pattern makes lists and texts of what it finds. */
const numberAt = (text: string, from: number): number | undefined => {
  let begin = from
  while (isSpace(text.charCodeAt(begin))) begin += 1
  let end = digitsFrom(text, begin)
  if (end === begin) return undefined
  if (text.charCodeAt(end) === DOT) {
    const last = digitsFrom(text, end + 1)
    if (last === end + 1) return undefined
    end = last
  }
  const next = text.charCodeAt(end)
  return isSpace(next) || next === COMMA || next === BRACE ? Number(text.slice(begin, end)) : undefined
}

const COMMA = 0x2c
const DOT = 0x2e
const BRACE = 0x7d

const digitsFrom = (text: string, from: number): number => {
  let at = from
  // Beyond the end there is NaN, which is no digit
  for (let code = text.charCodeAt(at); code >= 0x30 && code <= 0x39; code = text.charCodeAt(at)) at += 1
  return at
}

const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)
