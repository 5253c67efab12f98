import { randomUUID } from 'node:crypto'
import { openStream, sendError, sendJson } from './answer.ts'
import type { JsonObject } from './body.ts'
import type { Engine } from './engine.ts'
import { type Completion, cutAfterHalt, promptTokensOf, run } from './speaking.ts'
import { timings, usage } from './timings.ts'

/** How chat and plain completions differ on the wire. */
interface Shape {
  readonly required: string
  readonly object: { readonly whole: string; readonly chunk: string }
  readonly opening: JsonObject | undefined
  piece(text: string): JsonObject
  closing(finish: string): JsonObject
  whole(text: string, finish: string): JsonObject
}

const CHAT: Shape = {
  required: 'messages',
  object: { whole: 'chat.completion', chunk: 'chat.completion.chunk' },
  opening: { finish_reason: null, index: 0, delta: { role: 'assistant', content: null } },
  piece: (text) => ({ finish_reason: null, index: 0, delta: { content: text } }),
  closing: (finish) => ({ finish_reason: finish, index: 0, delta: {} }),
  whole: (text, finish) => ({ finish_reason: finish, index: 0, message: { role: 'assistant', content: text } }),
}

const PLAIN: Shape = {
  required: 'prompt',
  object: { whole: 'text_completion', chunk: 'text_completion' },
  opening: undefined,
  piece: (text) => ({ text, index: 0, logprobs: null, finish_reason: null }),
  closing: (finish) => ({ text: '', index: 0, logprobs: null, finish_reason: finish }),
  whole: (text, finish) => ({ text, index: 0, logprobs: null, finish_reason: finish }),
}

export const chatCompletion = (completion: Completion): Promise<void> => complete(CHAT, completion)
export const plainCompletion = (completion: Completion): Promise<void> => complete(PLAIN, completion)

async function complete(shape: Shape, completion: Completion): Promise<void> {
  const { body, response } = completion
  const prompt = body[shape.required]
  if (prompt === undefined) {
    return sendError(response, { code: 400, message: `'${shape.required}' is required`, type: 'invalid_request_error' })
  }
  if (shape === CHAT && !Array.isArray(prompt)) {
    return sendError(response, {
      code: 400,
      message: "Expected 'messages' to be an array",
      type: 'invalid_request_error',
    })
  }
  const promptTokens = promptTokensOf(completion, prompt)
  if (promptTokens === undefined) return undefined
  return (body['stream'] === true ? stream : answer)(shape, completion, promptTokens)
}

async function answer(shape: Shape, completion: Completion, promptTokens: number): Promise<void> {
  const parts: string[] = []
  const made = await run(completion, promptTokens, (text) => {
    parts.push(text)
    return Promise.resolve(true)
  })
  if (made.finish === 'gone') return
  sendJson(completion.response, {
    choices: [shape.whole(parts.join(''), made.finish)],
    ...envelope(completion.engine, shape.object.whole),
    usage: usage(made),
    timings: timings(made),
  })
}

async function stream(shape: Shape, completion: Completion, promptTokens: number): Promise<void> {
  const { engine, response, body } = completion
  const out = openStream(response, engine.options.splitBytes)
  const common = envelope(engine, shape.object.chunk)
  const chunk = (choices: readonly JsonObject[], extra: JsonObject = {}): Promise<boolean> =>
    out.send(JSON.stringify({ choices, ...common, ...extra }))
  const stopCut = cutAfterHalt(completion, out)
  let opened = shape.opening === undefined
  const made = await run(completion, promptTokens, async (text) => {
    if (!opened && shape.opening) await chunk([shape.opening])
    opened = true
    return chunk([shape.piece(text)])
  })
  stopCut()
  if (made.finish === 'gone') return
  const wantsUsage = (body['stream_options'] as JsonObject | undefined)?.['include_usage'] === true
  const closing = {
    ...(wantsUsage ? {} : { timings: timings(made) }),
    ...(shape === PLAIN ? { usage: usage(made) } : {}),
  }
  await chunk([shape.closing(made.finish)], closing)
  if (wantsUsage && shape === CHAT) await chunk([], { usage: usage(made), timings: timings(made) })
  await out.send('[DONE]')
  out.end()
}

function envelope(engine: Engine, object: string): JsonObject {
  return {
    created: Math.floor(Date.now() / 1000),
    id: `chatcmpl-${randomUUID()}`,
    model: engine.name,
    system_fingerprint: 'b0-lswap-fake',
    object,
  }
}
