import type { Generated } from './generate.ts'

/** The `timings` of llama.cpp for one answer. */
export function timings(made: Generated): Record<string, number> {
  return {
    cache_n: made.cachedTokens,
    prompt_n: made.promptTokens - made.cachedTokens,
    prompt_ms: made.promptMs,
    prompt_per_token_ms: ratio(made.promptMs, made.promptTokens - made.cachedTokens),
    prompt_per_second: ratio((made.promptTokens - made.cachedTokens) * 1000, made.promptMs),
    predicted_n: made.tokens,
    predicted_ms: made.predictedMs,
    predicted_per_token_ms: ratio(made.predictedMs, made.tokens),
    predicted_per_second: ratio(made.tokens * 1000, made.predictedMs),
  }
}

/** The `usage` of OpenAI for one answer. */
export function usage(made: Generated): Record<string, unknown> {
  return {
    completion_tokens: made.tokens,
    prompt_tokens: made.promptTokens,
    total_tokens: made.promptTokens + made.tokens,
    prompt_tokens_details: { cached_tokens: made.cachedTokens },
  }
}

function ratio(amount: number, per: number): number {
  return per === 0 ? 0 : amount / per
}
