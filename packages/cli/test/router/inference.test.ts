import t from 'tap'
import { model } from './support/config.ts'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { startRig } from './support/rig.ts'

const CHAT = '{"model":"a","messages":[{"role":"user","content":"hi"}]}'

t.test('loads the model of a request and passes the answer on', async (t) => {
  const { port, agent, log } = await startRig(t, { answer: answerJson({ answer: 42 }) })
  const told = await ask(port, { body: CHAT, headers: { 'X-Request-Id': 'mine' } })
  t.equal(told.status, 200)
  t.equal(told.text, '{"answer":42}')
  t.match(told.headers, {
    'content-type': 'application/json',
    'content-length': '13',
    'x-lswap-request-id': /^\d+$/,
    'x-lswap-model': 'a',
    'x-lswap-host': 'local',
    'x-lswap-wait-ms': /^\d+$/,
    'server-timing': /^queue;dur=[\d.]+, swap;dur=[\d.]+, upstream;dur=[\d.]+$/,
    'x-request-id': 'mine',
  })
  t.match(agent.swaps, [{ model: 'a', evict: [] }])
  await until('it is logged', () => log.lines.some(({ message }) => message === 'request ended'))
  const [line, ...more] = log.lines.filter(({ message }) => message === 'request ended')
  t.match(line, { level: 'info', fields: { id: 1, model: 'a', status: 200, waitMs: Number, durationMs: Number } })
  t.same(more, [])
})

t.test('the body and what is not ours of the head reach the engine untouched', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const body = '{ "model" : "a",\n "x":"é\\u00e9👍" }'
  await ask(port, {
    path: '/v1/chat/completions?x=1',
    body,
    headers: { Authorization: 'Bearer k', 'X-Thing': 'é', 'X-LlamaSwap-Priority': '5', 'x-lswap-no-load': '0' },
  })
  const [forward] = agent.forwards
  t.equal((await forward?.body())?.toString(), body)
  t.equal(forward?.request.method, 'POST')
  t.equal(forward?.request.path, '/v1/chat/completions?x=1')
  t.equal(forward?.request.body.length, Buffer.byteLength(body))
  const names = forward?.request.headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()) ?? []
  t.ok(names.includes('authorization') && names.includes('x-thing'))
  t.notOk(names.some((name) => name.startsWith('x-lswap') || name.startsWith('x-llamaswap')))
})

t.test('an alias finds its model; useModelName is what the engine reads, with the right length', async (t) => {
  const models = [model('a', { aliases: ['gpt-4'], useModelName: 'org/größe' })]
  const { port, agent } = await startRig(t, { models, answer: answerJson({}) })
  const told = await ask(port, { body: '{"x":1,"model":"gpt-4","y":2}' })
  t.equal(told.headers['x-lswap-model'], 'a')
  const [forward] = agent.forwards
  const expected = '{"x":1,"model":"org/größe","y":2}'
  t.equal((await forward?.body())?.toString(), expected)
  t.equal(forward?.request.body.length, Buffer.byteLength(expected))
})

t.test('swaps between models, one after the other', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  for (const id of ['a', 'b', 'a', 'a']) t.equal((await ask(port, { body: `{"model":"${id}"}` })).status, 200)
  t.same(
    agent.swaps.map(({ model: id, evict }) => [id, evict]),
    [
      ['a', []],
      ['b', ['a']],
      ['a', ['b']],
    ],
  )
})

t.test('what can not be served is an error in the shape of OpenAI', async (t) => {
  const { port, agent } = await startRig(t)
  const cases = [
    ['{"model":"nope"}', 404, 'model_not_found', 'invalid_request_error'],
    ['{"messages":[]}', 400, 'model_missing', 'invalid_request_error'],
    ['{"model":', 400, 'invalid_json', 'invalid_request_error'],
    ['', 400, 'invalid_json', 'invalid_request_error'],
  ] as const
  for (const [body, status, code, type] of cases) {
    const told = await ask(port, { method: 'POST', body })
    t.equal(told.status, status, code)
    t.match(JSON.parse(told.text), { error: { code, type, param: null, message: String }, src: 'lswap' })
    t.match(told.headers['x-lswap-request-id'], /^\d+$/)
  }
  t.same(agent.forwards, [])
  const text = await ask(port, { body: '{}', headers: { Accept: 'text/plain' } })
  t.match(text, {
    status: 400,
    text: 'The body has no top-level "model".\n',
    headers: { 'content-type': /^text\/plain/ },
  })
})

t.test('refuses by its header alone: priority, encoding, size', async (t) => {
  const { port } = await startRig(t, { limits: { maxBodyBytes: 100 }, answer: answerJson({}) })
  for (const priority of ['', 'high', '1.5', '1234567890', '5, 6']) {
    const told = await ask(port, { body: CHAT, headers: { 'X-LlamaSwap-Priority': priority } })
    t.equal(errorOf(told).code, 'invalid_priority', priority)
  }
  t.equal((await ask(port, { body: CHAT, headers: { 'X-Lswap-Priority': '+999999999' } })).status, 200)
  t.match(errorOf(await ask(port, { body: CHAT, headers: { 'Content-Encoding': 'gzip' } })), {
    code: 'invalid_request',
  })
  const large = await ask(port, { body: `{"model":"a","x":"${'y'.repeat(100)}"}` })
  t.equal(large.status, 413)
  t.match(errorOf(large), { code: 'body_too_large', message: /100 bytes/ })
})

t.test('X-Lswap-No-Load never starts a swap', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const told = await ask(port, { body: CHAT, headers: { 'X-Lswap-No-Load': '1' } })
  t.equal(told.status, 409)
  t.equal(errorOf(told).code, 'model_not_loaded')
  t.equal(told.headers['x-should-retry'], 'false')
  t.same(agent.swaps, [])
})

t.test('a failed start is an error with its cause, and the router goes on', async (t) => {
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
  const failure = { code: 'start_failed' as const, message: 'Exit code 1: no such file.' }
  const { port } = await startRig(t, {
    load: async (order) => (order.model === 'a' ? { outcome: 'failed', failure, evictions: [], timings } : undefined),
    answer: answerJson({}),
  })
  const told = await ask(port, { body: CHAT })
  t.equal(told.status, 502)
  t.match(errorOf(told), { code: 'start_failed', type: 'server_error', message: /no such file/ })
  t.equal((await ask(port, { body: '{"model":"b"}' })).status, 200)
})
