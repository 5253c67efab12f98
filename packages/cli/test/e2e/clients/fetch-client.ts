import { type Ask, type Client, LIMIT_MS, type Refusal, type Reply, type Target } from './client.ts'

type Json = Readonly<Record<string, unknown>>

interface Choice {
  readonly text?: string
  readonly message?: { readonly content: string | null }
  readonly delta?: { readonly content?: string | null }
  readonly finish_reason: string | null
}

interface Body {
  readonly choices: readonly Choice[]
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

/** What an answer outside of 2xx told. */
class Refused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** No library: what a script in any language does with HTTP alone. */
export const fetchClient = ({ url }: Target): Client => {
  const call = async (path: string, body: Json, ask?: Ask): Promise<Response> => {
    const limit = AbortSignal.timeout(ask?.timeoutMs ?? LIMIT_MS)
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: ask?.signal === undefined ? limit : AbortSignal.any([ask.signal, limit]),
    })
    if (answer.ok) return answer
    const { error } = (await answer.json()) as { error: { type: string; code: unknown; message: string } }
    const { type, code, message } = error
    throw new Refused({ status: answer.status, type, code, message })
  }
  const ask = async <Answer>(path: string, body: Json, asked?: Ask): Promise<Answer> =>
    (await (await call(path, body, asked)).json()) as Answer

  return {
    name: 'fetch',
    models: async () => {
      const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] }
      return data.map(({ id }) => id)
    },
    chat: async (asked) => replyOf(await ask<Body>('/v1/chat/completions', chatBody(asked), asked)),
    stream: async (asked, onText) => {
      const answer = await call(
        '/v1/chat/completions',
        { ...chatBody(asked), stream: true, stream_options: { include_usage: true } },
        asked,
      )
      let text = ''
      let finish: string | null = null
      let usage: Body['usage']
      for await (const { choices, usage: used } of chunksOf(answer)) {
        const piece = choices[0]?.delta?.content ?? ''
        if (piece !== '') onText(piece)
        text += piece
        finish = choices[0]?.finish_reason ?? finish
        usage = used ?? usage
      }
      return replyOf({ choices: [{ text, finish_reason: finish }], ...(usage === undefined ? {} : { usage }) })
    },
    refusal: (error) => {
      if (error instanceof Refused) return error.refusal
      if (error instanceof DOMException && error.name === 'AbortError') return 'aborted'
      if (error instanceof DOMException && error.name === 'TimeoutError') return 'timed out'
      throw error
    },
    complete: async ({ model, text, maxTokens }) =>
      replyOf(await ask<Body>('/v1/completions', { model, prompt: text, max_tokens: maxTokens })),
    embed: async (model, texts) => {
      const { data } = await ask<{ data: { embedding: number[] }[] }>('/v1/embeddings', { model, input: texts })
      return data.map(({ embedding }) => embedding)
    },
    count: async ({ model, text }) => {
      const body = { model, messages: [{ role: 'user', content: text }] }
      return (await ask<{ input_tokens: number }>('/v1/messages/count_tokens', body)).input_tokens
    },
  }
}

const chatBody = ({ model, text, maxTokens, hasTools }: Ask): Json => ({
  model,
  max_tokens: maxTokens,
  // One that no engine knows: it must not matter
  an_unknown_parameter: { of: 'a client' },
  messages: [{ role: 'user', content: text }],
  ...(hasTools === true ? { tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }] } : {}),
})

const replyOf = ({ choices: [choice], usage }: Body): Reply => ({
  text: choice?.message?.content ?? choice?.text ?? '',
  finish: choice?.finish_reason === 'length' ? 'length' : 'stop',
  input: usage?.prompt_tokens ?? -1,
  output: usage?.completion_tokens ?? -1,
})

/** The chunks of an event stream, which must end with `[DONE]`. */
async function* chunksOf(answer: Response): AsyncGenerator<Body> {
  const decoder = new TextDecoder()
  let rest = ''
  let isDone = false
  for await (const bytes of answer.body ?? []) {
    const events = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const data = event.replace(/^data: /, '')
      if (data === '[DONE]') isDone = true
      else yield JSON.parse(data) as Body
    }
  }
  if (!isDone) throw new Error('the stream ended without [DONE]')
}
