import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import { type Ask, CITY, type Client, LIMIT_MS, type Reply, type Target } from './client.ts'

const NO_USAGE = { prompt_tokens: -1, completion_tokens: -1 }

const finishOf = (reason: string | null | undefined): Reply['finish'] => (reason === 'length' ? 'length' : 'stop')

const chatBody = ({ model, text, maxTokens, hasTools }: Ask) => ({
  model,
  max_tokens: maxTokens,
  messages: [{ role: 'user' as const, content: text }, ...(hasTools === true ? TOOL_TURN : [])],
  ...(hasTools === true ? { tools: [TOOL] } : {}),
})

const TOOL = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
}

const TOOL_TURN = [
  {
    role: 'assistant' as const,
    content: null,
    tool_calls: [
      {
        id: 'call-1',
        type: 'function' as const,
        function: { name: 'weather', arguments: JSON.stringify({ city: CITY }) },
      },
    ],
  },
  { role: 'tool' as const, tool_call_id: 'call-1', content: '12°' },
]

const settings = ({ signal, timeoutMs }: Ask) => ({
  ...(signal === undefined ? {} : { signal }),
  ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
})

export const openAiClient = ({ url, maxRetries = 0 }: Target): Client => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries, timeout: LIMIT_MS })
  return {
    name: 'openai',
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    chat: async (ask) => {
      const { choices, usage } = await client.chat.completions.create(chatBody(ask), settings(ask))
      const { prompt_tokens: input, completion_tokens: output } = usage ?? NO_USAGE
      const [choice] = choices
      return { text: choice?.message.content ?? '', finish: finishOf(choice?.finish_reason), input, output }
    },
    stream: async (ask, onText) => {
      const body = { ...chatBody(ask), stream: true as const, stream_options: { include_usage: true } }
      let text = ''
      let finish: string | null | undefined
      let used = NO_USAGE
      for await (const { choices, usage } of await client.chat.completions.create(body, settings(ask))) {
        const piece = choices[0]?.delta.content ?? ''
        if (piece !== '') onText(piece)
        text += piece
        finish = choices[0]?.finish_reason ?? finish
        used = usage ?? used
      }
      return { text, finish: finishOf(finish), input: used.prompt_tokens, output: used.completion_tokens }
    },
    refusal: (error) => {
      if (error instanceof APIUserAbortError) return 'aborted'
      if (error instanceof APIConnectionTimeoutError) return 'timed out'
      if (!(error instanceof APIError)) throw error
      const { status, type, code, message } = error as APIError
      return { status, type, code, message }
    },
    respond: async ({ model, text, maxTokens }) => {
      const answer = await client.responses.create({ model, input: text, max_output_tokens: maxTokens })
      const { input_tokens: input, output_tokens: output } = answer.usage ?? { input_tokens: -1, output_tokens: -1 }
      return { text: answer.output_text, finish: 'length', input, output }
    },
    complete: async ({ model, text, maxTokens }) => {
      const { choices, usage } = await client.completions.create({ model, prompt: text, max_tokens: maxTokens })
      const { prompt_tokens: input, completion_tokens: output } = usage ?? NO_USAGE
      return { text: choices[0]?.text ?? '', finish: finishOf(choices[0]?.finish_reason), input, output }
    },
    embed: async (model, texts) =>
      (await client.embeddings.create({ model, input: [...texts] })).data.map(({ embedding }) => embedding),
  }
}
