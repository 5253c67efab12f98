// Anthropic's messages, as the real engine speaks them: its errors keep the engine's own shape there too.

import { randomUUID } from 'node:crypto'
import { openStream, sendError, sendJson } from './answer.ts'
import type { JsonObject } from './body.ts'
import type { Generated } from './generate.ts'
import { type Completion, countTokens, cutAfterHalt, promptTokensOf, run } from './speaking.ts'

/** Everything that the real engine makes a prompt of. */
const promptOf = ({ body }: Completion): unknown =>
  body['system'] === undefined && body['tools'] === undefined
    ? body['messages']
    : [body['system'], body['tools'], body['messages']]

function hasMessages({ body, response }: Completion): boolean {
  if (body['messages'] !== undefined) return true
  // A 500 for what the client did wrong: so does the real one
  sendError(response, { code: 500, message: "'messages' is required", type: 'server_error' })
  return false
}

export function countMessages(completion: Completion): void {
  if (hasMessages(completion)) sendJson(completion.response, { input_tokens: countTokens(promptOf(completion)) })
}

export async function createMessage(completion: Completion): Promise<void> {
  if (!hasMessages(completion)) return
  const promptTokens = promptTokensOf(completion, promptOf(completion))
  if (promptTokens === undefined) return
  await (completion.body['stream'] === true ? stream : answer)(completion, promptTokens)
}

async function answer(completion: Completion, promptTokens: number): Promise<void> {
  const parts: string[] = []
  const made = await run(completion, promptTokens, (text) => {
    parts.push(text)
    return Promise.resolve(true)
  })
  if (made.finish === 'gone') return
  sendJson(completion.response, {
    ...message(completion, promptTokens),
    content: [{ type: 'text', text: parts.join('') }],
    stop_reason: stopReason(made),
    usage: { cache_read_input_tokens: 0, input_tokens: promptTokens, output_tokens: made.tokens },
  })
}

async function stream(completion: Completion, promptTokens: number): Promise<void> {
  const out = openStream(completion.response, completion.engine.options.splitBytes)
  const send = (type: string, data: JsonObject): Promise<boolean> => out.send(JSON.stringify({ type, ...data }), type)
  const stopCut = cutAfterHalt(completion, out)
  let opened = false
  const made = await run(completion, promptTokens, async (text) => {
    if (!opened) {
      opened = true
      await send('message_start', { message: message(completion, promptTokens) })
      await send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    }
    return send('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })
  })
  stopCut()
  if (made.finish === 'gone') return
  await send('content_block_stop', { index: 0 })
  const delta = { stop_reason: stopReason(made), stop_sequence: null }
  await send('message_delta', { delta, usage: { output_tokens: made.tokens } })
  await send('message_stop', {})
  out.end()
}

const stopReason = ({ finish }: Generated): string => (finish === 'length' ? 'max_tokens' : 'end_turn')

const message = ({ engine }: Completion, promptTokens: number): JsonObject => ({
  id: `chatcmpl-${randomUUID()}`,
  type: 'message',
  role: 'assistant',
  content: [],
  model: engine.name,
  stop_reason: null,
  stop_sequence: null,
  usage: { cache_read_input_tokens: 0, input_tokens: promptTokens, output_tokens: 0 },
})
