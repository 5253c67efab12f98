import type { Engine } from './engine.ts'
import { pause } from './pause.ts'
import { tokenText } from './words.ts'

export interface Generation {
  readonly promptTokens: number
  /** What it is to read. */
  readonly prompt: readonly number[]
  /** What the request allows; undefined: no limit but the engine's. */
  readonly maxTokens: number | undefined
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
  /** Takes one token; false when nobody listens any more. */
  readonly onToken: (text: string) => Promise<boolean>
  /** Breaks the connection in the middle of the answer (`--cut-after-tokens`). */
  readonly cut: () => void
}

export interface Generated {
  /** `gone`: the client left, or the connection was cut. */
  readonly finish: 'stop' | 'length' | 'gone'
  readonly promptTokens: number
  /** Tokens of the prompt that its slot held already. */
  readonly cachedTokens: number
  readonly tokens: number
  readonly promptMs: number
  readonly predictedMs: number
}

const DEFAULT_TOKENS = 16

/** Speaks token after token at the pace of the switches, holding one slot meanwhile. */
export async function generate(engine: Engine, generation: Generation): Promise<Generated> {
  const slot = await engine.slots.take(generation.signal)
  if (slot === undefined) {
    const { promptTokens } = generation
    return { finish: 'gone', promptTokens, cachedTokens: 0, tokens: 0, promptMs: 0, predictedMs: 0 }
  }
  try {
    return await speak(engine, generation, engine.cache.read(slot, generation.prompt))
  } finally {
    engine.slots.free(slot)
  }
}

async function speak(engine: Engine, generation: Generation, cachedTokens: number): Promise<Generated> {
  const { options, counters } = engine
  const { signal, promptTokens, maxTokens } = generation
  const wanted = options.tokens ?? DEFAULT_TOKENS
  // The real engine makes one token even when asked for none.
  const total = maxTokens === undefined || maxTokens < 0 ? wanted : Math.min(wanted, Math.max(maxTokens, 1))
  // Character by character, so that some chunks begin inside of what a reader takes for one
  const said = options.speak === undefined ? [] : Array.from(options.speak)
  const textAt = (index: number): string => said[index % said.length] ?? tokenText(engine.name, index)
  const begun = performance.now()
  let tokens = 0
  const done = (finish: Generated['finish'], firstAt: number): Generated => {
    const predictedMs = performance.now() - firstAt
    counters.promptTokens += promptTokens
    counters.promptMs += firstAt - begun
    counters.predictedTokens += tokens
    counters.predictedMs += predictedMs
    return { finish, promptTokens, cachedTokens, tokens, promptMs: firstAt - begun, predictedMs }
  }

  const prefillMs = (options.prefillMs ?? 0) + (options.firstTokenMs ?? 0)
  if (prefillMs > 0 && !(await pause(prefillMs, signal))) {
    // The real one ends the batch that it is at
    await pause(options.lingerMs ?? 0, engine.halt)
    return done('gone', performance.now())
  }
  const firstAt = performance.now()
  for (; tokens < total; tokens += 1) {
    // Due from the first token on, not from the last one: lateness of timers does not add up. Without a pace the
    // event loop still gets its turn between tokens, or signals and other requests would wait for the whole answer.
    const due = options.tokensPerSecond === undefined ? 0 : firstAt + (tokens * 1000) / options.tokensPerSecond
    if (tokens > 0 && !(await pause(due - performance.now(), signal))) return done('gone', firstAt)
    if (engine.halt.aborted) await goneClient(signal)
    if (tokens === options.crashAfterTokens) {
      engine.log('GGML_ASSERT(n_tokens_all <= cparams.n_batch) failed')
      engine.exit(options.exitCode ?? CRASH_CODE, 'crash')
    }
    if (tokens === options.cutAfterTokens) {
      generation.cut()
      return done('gone', firstAt)
    }
    counters.decodes += 1
    if (signal.aborted || !(await generation.onToken(textAt(tokens)))) return done('gone', firstAt)
  }
  return done(total < wanted ? 'length' : 'stop', firstAt)
}

/** What a shell reports for an engine that aborted. */
export const CRASH_CODE = 134

function goneClient(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
