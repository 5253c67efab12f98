import Anthropic, { APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk'
import { type Ask, CITY, type Client, LIMIT_MS, type Reply, type Target } from './client.ts'

const finishOf = (reason: string | null | undefined): Reply['finish'] => (reason === 'max_tokens' ? 'length' : 'stop')

const conversation = ({ model, text, hasTools }: Ask) => ({
  model,
  messages: [{ role: 'user' as const, content: text }, ...(hasTools === true ? TOOL_TURN : [])],
  ...(hasTools === true ? { tools: [TOOL] } : {}),
})

const TOOL = {
  name: 'weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } } },
}

const TOOL_TURN = [
  {
    role: 'assistant' as const,
    content: [{ type: 'tool_use' as const, id: 'call-1', name: 'weather', input: { city: CITY } }],
  },
  { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 'call-1', content: '12°' }] },
]

const settings = ({ signal, timeoutMs }: Ask) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
})

export const anthropicClient = ({ url, maxRetries = 0 }: Target): Client => {
  const client = new Anthropic({ baseURL: url, apiKey: 'none', maxRetries, timeout: LIMIT_MS })
  return {
    name: '@anthropic-ai/sdk',
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    chat: async (ask) => {
      const body = { ...conversation(ask), max_tokens: ask.maxTokens }
      const { content, stop_reason: reason, usage } = await client.messages.create(body, settings(ask))
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      return { text, finish: finishOf(reason), input: inputOf(usage), output: usage.output_tokens }
    },
    stream: async (ask, onText) => {
      const body = { ...conversation(ask), max_tokens: ask.maxTokens, stream: true as const }
      let text = ''
      const reply = { finish: finishOf(undefined), input: -1, output: -1 }
      for await (const event of await client.messages.create(body, settings(ask))) {
        if (event.type === 'message_start') reply.input = inputOf(event.message.usage)
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
          onText(event.delta.text)
          text += event.delta.text
        }
        if (event.type === 'message_delta')
          Object.assign(reply, { finish: finishOf(event.delta.stop_reason), output: event.usage.output_tokens })
      }
      return { text, ...reply }
    },
    refusal: (error) => {
      if (error instanceof APIUserAbortError) return 'aborted'
      if (error instanceof APIConnectionTimeoutError) return 'timed out'
      if (!(error instanceof APIError)) throw error
      const { status, error: body, message } = error as APIError
      const told: { readonly error?: { readonly type?: string; readonly code?: unknown } } | undefined = body
      return { status, type: told?.error?.type, code: told?.error?.code, message }
    },
    count: async (ask) => (await client.messages.countTokens(conversation(ask))).input_tokens,
  }
}

/** Of the prompt, what came from the engine's cache counts apart. */
const inputOf = ({ input_tokens, cache_read_input_tokens }: Usage): number =>
  input_tokens + (cache_read_input_tokens ?? 0)

interface Usage {
  readonly input_tokens: number
  readonly cache_read_input_tokens: number | null
}
