import type { ServerResponse } from 'node:http'
import { type EventStream, sendError } from './answer.ts'
import { type JsonObject, numberIn } from './body.ts'
import type { Engine } from './engine.ts'
import { type Generated, generate } from './generate.ts'
import { tokenIds } from './words.ts'

/** One request to speak. */
export interface Completion {
  readonly engine: Engine
  readonly body: JsonObject
  readonly response: ServerResponse
  readonly signal: AbortSignal
}

/** How many tokens a prompt has; undefined: too many, and that was answered. */
export function promptTokensOf({ engine, response }: Completion, prompt: unknown): number | undefined {
  const promptTokens = countTokens(prompt)
  if (promptTokens >= engine.contextTokens) {
    const limit = engine.contextTokens
    sendError(response, {
      code: 400,
      message: `request (${promptTokens} tokens) exceeds the available context size (${limit} tokens), try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: promptTokens,
      n_ctx: limit,
    })
    return undefined
  }
  return promptTokens
}

export const countTokens = (prompt: unknown): number => idsOf(prompt).length

const idsOf = (prompt: unknown): readonly number[] =>
  tokenIds(typeof prompt === 'string' ? prompt : JSON.stringify(prompt))

const PING_SECONDS = 30

/**
 * Once told to stop, the real engine sends no token more, but lets a stream stand until its next ping is due: then it
 * sends that and breaks off. An answer that is no stream just stands.
 */
export function cutAfterHalt({ engine }: Completion, out: EventStream): () => void {
  let timer: NodeJS.Timeout | undefined
  const seconds = engine.options.pingSeconds ?? PING_SECONDS
  const arm = (): void => {
    if (seconds < 0) return
    timer = setTimeout(() => out.breakOff(), seconds * 1000)
  }
  if (engine.halt.aborted) arm()
  else engine.halt.addEventListener('abort', arm, { once: true })
  return () => {
    clearTimeout(timer)
    engine.halt.removeEventListener('abort', arm)
  }
}

export function run(
  { engine, body, signal, response }: Completion,
  promptTokens: number,
  onToken: (text: string) => Promise<boolean>,
): Promise<Generated> {
  return generate(engine, {
    promptTokens,
    prompt: idsOf(body['messages'] ?? body['prompt'] ?? body['input'] ?? ''),
    maxTokens: numberIn(body, 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'n_predict'),
    signal,
    onToken,
    cut: () => response.destroy(),
  })
}
