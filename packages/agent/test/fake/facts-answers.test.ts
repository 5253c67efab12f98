import { fact } from './support/fact.ts'
import { ask, chatBody, chatText, openRaw } from './support/http.ts'
import type { Answer } from './support/http.ts'
import { ALIAS, readyEngine, startEngine } from './support/running.ts'
import { until } from './support/until.ts'

const CHAT = '/v1/chat/completions'

const json = (answer: Answer | undefined): Record<string, unknown> =>
  JSON.parse(answer?.body ?? '') as Record<string, unknown>

const isNotReady = ({ status, error }: Answer): boolean =>
  status === 503 || error === 'ECONNREFUSED' || error === 'ECONNRESET'

fact('is not there, then loading with 503, then ready with 200', async (t, engine) => {
  const running = await startEngine(t, engine)
  const seen: Answer[] = []
  await until('the engine is ready', async () => {
    if (running.hasExited()) throw new Error(running.stderr())
    seen.push(await ask(running.port, '/health'))
    return seen.at(-1)?.status === 200
  })
  t.same(json(seen.pop()), { status: 'ok' })
  t.same(
    seen.filter((answer) => !isNotReady(answer)),
    [],
  )
  const loading = seen.filter(({ status }) => status === 503)
  t.ok(loading.every(({ headers, body }) => headers.connection === 'close' && body.includes('Loading model')))
})

fact('serves whatever model is asked for, under its own name', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const answer = await ask(port, CHAT, chatBody({ model: 'somebody-else', max_tokens: 3 }))
  t.equal(answer.status, 200)
  t.match(json(answer), {
    object: 'chat.completion',
    model: ALIAS,
    choices: [{ index: 0, finish_reason: 'length', message: { role: 'assistant', content: String } }],
    usage: { prompt_tokens: Number, completion_tokens: 3, total_tokens: Number },
    timings: { prompt_n: Number, cache_n: Number, predicted_n: 3, predicted_per_second: Number },
  })
  t.match(json(await ask(port, '/v1/models')), { object: 'list', data: [{ id: ALIAS, object: 'model' }] })
})

fact('streams events and ends them with [DONE]', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const settings = { stream: true, max_tokens: 2, stream_options: { include_usage: true } }
  const answer = await ask(port, CHAT, chatBody(settings))
  t.equal(answer.headers['content-type'], 'text/event-stream')
  t.equal(answer.headers['transfer-encoding'], 'chunked')
  const events = answer.body.split('\n\n')
  t.equal(events.pop(), '')
  t.equal(events.pop(), 'data: [DONE]')
  const chunks = events.map((event) => JSON.parse(event.replace(/^data: /, '')) as { object: string })
  t.ok(chunks.every((chunk) => chunk.object === 'chat.completion.chunk'))
  t.equal(chunks.length, 5)
  t.match(chunks, [
    { choices: [{ delta: { role: 'assistant' }, finish_reason: null }] },
    { choices: [{ delta: { content: String } }] },
    { choices: [{ delta: { content: String } }] },
    { choices: [{ delta: {}, finish_reason: 'length' }] },
    { choices: [], usage: { completion_tokens: 2 }, timings: { predicted_n: 2 } },
  ])
})

fact('completes plain text', async (t, engine) => {
  const { port } = await readyEngine(t, engine)
  const answer = json(await ask(port, '/v1/completions', { prompt: 'hello', max_tokens: 2 }))
  t.match(answer, { object: 'text_completion', model: ALIAS, choices: [{ text: String, finish_reason: 'length' }] })
})

fact('embeds only when started for it, and repeats the name it was asked with', async (t, engine) => {
  const plain = await readyEngine(t, engine)
  t.equal((await ask(plain.port, '/v1/embeddings', { input: 'hello' })).status, 501)
  const { port } = await readyEngine(t, engine, { args: ['--embeddings', '--pooling', 'mean'] })
  const answer = json(await ask(port, '/v1/embeddings', { input: ['hello', 'world'], model: 'any' }))
  t.match(answer, {
    object: 'list',
    model: 'any',
    data: [{ index: 0 }, { index: 1 }],
    usage: { prompt_tokens: Number },
  })
  const [first] = answer['data'] as { embedding: number[] }[]
  t.ok(Math.abs(Math.hypot(...(first?.embedding ?? [])) - 1) < 1e-3)
  t.equal((await ask(port, CHAT, chatBody({ max_tokens: 1 }))).status, 200)
})

fact('divides its context among the slots it was told to have', async (t, engine) => {
  const { port } = await readyEngine(t, engine, { args: ['-np', '3', '-c', '1536'] })
  t.match(json(await ask(port, '/props')), { total_slots: 3, default_generation_settings: { n_ctx: 512 } })
  t.equal((JSON.parse((await ask(port, '/slots')).body) as unknown[]).length, 3)
})

fact('refuses a prompt longer than its context, with both numbers', async (t, engine) => {
  const { port } = await readyEngine(t, engine, { args: ['-np', '1', '-c', '256', '--no-context-shift'] })
  const answer = await ask(port, '/v1/completions', { prompt: 'the '.repeat(600), max_tokens: 1 })
  t.equal(answer.status, 400)
  t.match(json(answer), { error: { type: 'exceed_context_size_error', n_prompt_tokens: Number, n_ctx: 256 } })
})

fact('sends no byte of a stream before the first token', async (t, engine) => {
  const { port } = await readyEngine(t, engine, { args: ['-np', '1', '--metrics'] })
  const busy = openRaw(port, chatText({ stream: true }))
  await until('the slot is busy', () => busy.text().includes('data:'))
  const waiting = openRaw(port, chatText({ stream: true, max_tokens: 1 }))
  await until('one waits', async () => (await ask(port, '/metrics')).body.includes('requests_deferred 1'))
  t.equal(waiting.text(), '')
  busy.socket.destroy()
  await waiting.closed
  t.match(waiting.text(), /^HTTP\/1.1 200 /)
})

fact('wants its key for everything but /health', async (t, engine) => {
  const { port } = await readyEngine(t, engine, { args: ['--api-key', 'secret'] })
  const refused = await ask(port, '/v1/models')
  t.match(refused, { status: 401, headers: { connection: 'close' } })
  t.match(json(refused), { error: { code: 401, type: 'authentication_error' } })
  t.equal((await ask(port, '/v1/models', undefined, { authorization: 'Bearer secret' })).status, 200)
})
