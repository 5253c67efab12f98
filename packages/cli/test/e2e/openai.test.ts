import OpenAI, { NotFoundError } from 'openai'
import t from 'tap'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('the openai client is served', async (t) => {
  const { url } = await served(t, { models: { a: '--embeddings --pooling mean', b: '' } })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, timeout: 60_000 })
  const messages = [{ role: 'user' as const, content: 'hello' }]

  const listed = await client.models.list()
  t.same(listed.data.map(({ id }) => id).toSorted(), ['a', 'b'])

  const answer = await client.chat.completions.create({ model: 'a', messages, max_tokens: 5 })
  t.ok((answer.choices[0]?.message.content ?? '').length > 0)
  t.equal(answer.usage?.completion_tokens, 5)

  let streamed = ''
  let finish: string | null = null
  for await (const chunk of await client.chat.completions.create({
    model: 'b',
    messages,
    max_tokens: 5,
    stream: true,
  })) {
    streamed += chunk.choices[0]?.delta.content ?? ''
    finish = chunk.choices[0]?.finish_reason ?? finish
  }
  t.ok(streamed.length > 0)
  t.equal(finish, 'length')

  const embedded = await client.embeddings.create({ model: 'a', input: ['one', 'two'] })
  t.equal(embedded.data.length, 2)
  t.ok((embedded.data[0]?.embedding.length ?? 0) > 0)

  const completion = await client.completions.create({ model: 'b', prompt: 'once', max_tokens: 3 })
  t.ok((completion.choices[0]?.text ?? '').length > 0)

  const refused: unknown = await client.chat.completions
    .create({ model: 'nope', messages })
    .catch((error: unknown) => error)
  t.ok(refused instanceof NotFoundError)
  t.match(refused, { status: 404, code: 'model_not_found', type: 'invalid_request_error', message: /nope/ })
})
