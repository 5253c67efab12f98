import OpenAI from 'openai'
import t from 'tap'
import { served } from './served.ts'

// Many processes, on machines that have other work too
t.setTimeout(240_000)

t.test('the openai client shows the load as reasoning, and its answer is the engine’s', async (t) => {
  const { url } = await served(t, { models: { a: '--load-ms 1500' }, yaml: 'sendLoadingState: true' })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, timeout: 60_000 })
  const stream = client.chat.completions.stream({
    model: 'a',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 5,
  })
  let isAnswering = false
  let toldLate = false
  let reasoning = ''
  let content = ''
  stream.on('chunk', ({ choices }) => {
    const delta = choices[0]?.delta as { content?: string | null; reasoning_content?: string }
    if (delta.reasoning_content !== undefined && isAnswering) toldLate = true
    if (delta.content) isAnswering = true
    reasoning += delta.reasoning_content ?? ''
    content += delta.content ?? ''
  })
  const whole = await stream.finalChatCompletion()
  t.equal(toldLate, false, 'what is told of the load is told before the answer begins')
  // How much time had passed is the machine's; what is said of how much is a test of its own
  t.match(reasoning, /^Loading a since [\d.]+ s, never measured before( \(\d+ %\))?, position 1 in the queue\.\n/)
  t.match(reasoning, /\nReady after [\d.]+ s\.\n$/)
  t.equal(whole.choices[0]?.message.content, content)
  t.match(whole.choices[0], { finish_reason: 'length', message: { role: 'assistant', content: /\S/ } })
})

t.test('the openai client throws what an engine that can not start says, although its stream had begun', async (t) => {
  const { url } = await served(t, {
    models: { a: '--crash-at load --load-ms 600' },
    yaml: 'sendLoadingState: true',
  })
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0, timeout: 60_000 })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  const failed = async (): Promise<string> => {
    let told = ''
    try {
      for await (const { choices } of await client.chat.completions.create({ model: 'a', messages, stream: true }))
        told += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? ''
    } catch (error) {
      return `${told}${String(error)}`
    }
    return 'it ended well'
  }
  t.match(await failed(), /^Loading a [^]*model is corrupted/)
})
