/** No request of a test may take longer. */
const LIMIT_MS = 60_000

export interface ChatOptions {
  readonly stream?: boolean
  readonly maxTokens?: number
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks a model something; resolves with the head of the answer. */
export const chat = (
  url: string,
  model: string,
  { stream = false, maxTokens = 4, signal, headers }: ChatOptions = {},
): Promise<Response> => {
  const limit = AbortSignal.timeout(LIMIT_MS)
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream, max_tokens: maxTokens, messages: [{ role: 'user', content: 'hello' }] }),
    signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
  })
}

/** The text of an answer that was not streamed. */
export const contentOf = async (response: Response): Promise<string> => {
  const body = (await response.json()) as { choices: [{ message: { content: string } }] }
  return body.choices[0].message.content
}

/** The data of every server-sent event, as text. */
export const eventsOf = (text: string): readonly string[] =>
  text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => block.slice(block.indexOf('data: ') + 'data: '.length))

export const errorOf = async (response: Response): Promise<{ code: string; message: string }> => {
  const body = (await response.json()) as { error: { code: string; message: string } }
  return body.error
}
