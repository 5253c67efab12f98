import { randomUUID } from 'node:crypto'
import { openStream, sendError, sendJson } from './answer.ts'
import type { JsonObject } from './body.ts'
import type { Engine } from './engine.ts'
import type { Generated } from './generate.ts'
import { type Completion, cutAfterHalt, promptTokensOf, run } from './speaking.ts'
import { timings } from './timings.ts'

/** OpenAI's responses, with the events that the real engine sends. */
export async function createResponse(completion: Completion): Promise<void> {
  const { body, response } = completion
  const input = body['input']
  if (input === undefined) {
    return sendError(response, { code: 400, message: "'input' is required", type: 'invalid_request_error' })
  }
  const promptTokens = promptTokensOf(completion, input)
  if (promptTokens === undefined) return undefined
  return (body['stream'] === true ? stream : answer)(completion, promptTokens)
}

async function answer(completion: Completion, promptTokens: number): Promise<void> {
  const parts: string[] = []
  const made = await run(completion, promptTokens, (text) => {
    parts.push(text)
    return Promise.resolve(true)
  })
  if (made.finish === 'gone') return
  const item = itemOf(randomUUID(), [contentOf(parts.join(''))])
  sendJson(completion.response, completed(completion.engine, { id: randomUUID(), item, made }))
}

async function stream(completion: Completion, promptTokens: number): Promise<void> {
  const out = openStream(completion.response, completion.engine.options.splitBytes)
  const send = (type: string, data: JsonObject): Promise<boolean> => out.send(JSON.stringify({ type, ...data }), type)
  const stopCut = cutAfterHalt(completion, out)
  const id = randomUUID()
  const itemId = `msg_${id}`
  const begun = { response: { id: `resp_${id}`, object: 'response', status: 'in_progress' } }
  const parts: string[] = []
  const made = await run(completion, promptTokens, async (delta) => {
    if (parts.length === 0) {
      await send('response.created', begun)
      await send('response.in_progress', begun)
      await send('response.output_item.added', { item: { ...itemOf(id, []), status: 'in_progress' } })
      await send('response.content_part.added', { item_id: itemId, part: { type: 'output_text', text: '' } })
    }
    parts.push(delta)
    return send('response.output_text.delta', { item_id: itemId, delta })
  })
  stopCut()
  if (made.finish === 'gone') return
  const text = parts.join('')
  const item = itemOf(id, [contentOf(text)])
  await send('response.output_text.done', { item_id: itemId, text })
  await send('response.content_part.done', { item_id: itemId, part: contentOf(text) })
  await send('response.output_item.done', { item })
  const response = completed(completion.engine, { id, item, made })
  await send('response.completed', { response, timings: timings(made) })
  out.end()
}

const contentOf = (text: string): JsonObject => ({ type: 'output_text', annotations: [], logprobs: [], text })

const itemOf = (id: string, content: readonly JsonObject[]): JsonObject => ({
  type: 'message',
  status: 'completed',
  id: `msg_${id}`,
  content,
  role: 'assistant',
})

interface Outcome {
  readonly id: string
  readonly item: JsonObject
  readonly made: Generated
}

const completed = ({ name }: Engine, { id, item, made }: Outcome): JsonObject => ({
  id: `resp_${id}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'completed',
  model: name,
  output: [item],
  usage: {
    input_tokens: made.promptTokens,
    output_tokens: made.tokens,
    total_tokens: made.promptTokens + made.tokens,
    input_tokens_details: { cached_tokens: 0 },
  },
})
