import t from 'tap'
import { MAX_ATTEMPTS } from '@lswap/core'
import { model } from './support/config.ts'
import { answerJson, eventStream, fail, head } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { chat, rawClient } from './support/raw-client.ts'
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

t.test('each chunk of the engine is one chunk for the client, at once', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(eventStream) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  t.match(client.text(), /^HTTP\/1\.1 200 OK\r\n/, 'the head does not wait for the first token')
  t.match(client.text(), /\r\nX-Accel-Buffering: no\r\n/)
  const handler = agent.forwards[0]?.handler
  // Cut in the middle of a character and of a frame
  const bytes = Buffer.from('data: 漢字\n\ndata: [DONE]\n\n')
  for (const [from, to] of [
    [0, 7],
    [7, 13],
    [13, undefined],
  ] as const) {
    const piece = bytes.subarray(from, to)
    t.equal(handler?.onData(piece), true)
    await client.has(`${piece.length.toString(16)}\r\n${piece.toString('latin1')}\r\n`)
  }
  handler?.onEnd(['X-Sum', 'abc'])
  await client.has('0\r\nX-Sum: abc\r\n\r\n')
})

t.test('a slow client holds the engine back, and a fast one again lets it go on', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(head()) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  client.socket.pause()
  const [forward] = agent.forwards
  let isOpen = true
  for (let sent = 0; isOpen && sent < 1_000; sent++)
    isOpen = forward?.handler.onData(Buffer.alloc(65_536, 'x')) ?? false
  t.equal(isOpen, false, 'the engine is told to wait')
  t.equal(forward?.resumes, 0)
  client.socket.resume()
  await until('the engine is told to go on', () => (forward?.resumes ?? 0) > 0)
})

t.test('a client that leaves while its model loads is taken out of the queue', async (t) => {
  const { port, agent, log } = await startRig(t, { load: () => new Promise(() => {}) })
  const client = await rawClient(port)
  client.send(chat(CHAT))
  await until('the load has begun', () => agent.swaps.length === 1)
  client.socket.destroy()
  await until('it is recorded', () => log.lines.some(({ fields }) => fields['status'] === 499))
  t.same(agent.forwards, [])
  const running = await ask(port, { path: '/running' })
  t.match(JSON.parse(running.text), { running: [{ model: 'a', state: 'loading', waiting: 0 }] })
})

for (const [how, leave] of [
  ['closes', 'destroy'],
  ['closes its half', 'end'],
] as const) {
  t.test(`a client that ${how} in the middle of an answer: the engine's request is aborted`, async (t) => {
    const { port, agent, log } = await startRig(t, {
      answer: ({ handler }) => {
        handler.onHead(eventStream)
        handler.onData(Buffer.from('data: 1\n\n'))
      },
    })
    const client = await rawClient(port)
    client.send(chat(CHAT))
    await client.has('data: 1')
    client.socket[leave]()
    await until('it is aborted', () => agent.forwards[0]?.aborted === true)
    await until('it is recorded', () => log.lines.some(({ fields }) => fields['status'] === 499))
    const running = await ask(port, { path: '/running' })
    t.match(JSON.parse(running.text), { running: [{ inFlight: 0 }] })
    t.same(log.bugs(), [])
  })
}

t.test('a client that closes its half without reading what is sent: the request is aborted all the same', async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(head()) })
  const client = await rawClient(port)
  t.teardown(() => client.socket.destroy())
  client.send(chat(CHAT))
  await client.has('\r\n\r\n')
  client.socket.pause()
  const [forward] = agent.forwards
  // More than the kernels take
  for (let sent = 0; sent < 16; sent++) forward?.handler.onData(Buffer.alloc(1_048_576, 'x'))
  client.socket.end()
  await until('it is aborted', () => forward?.aborted === true)
  client.socket.resume()
  t.match(await client.ended(), /closed|reset/)
})

t.test('an engine that dies before it answers is tried once more', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) => {
      if (agent.forwards.length === 1) fail(forward, 'upstream_unreachable')
      else answerJson({ second: true })(forward)
    },
  })
  const told = await ask(port, { body: CHAT })
  t.match(told, { status: 200, text: '{"second":true}' })
  t.equal(agent.forwards.length, 2)
  for (const forward of agent.forwards) t.equal((await forward.body()).toString(), CHAT, 'with the same body')
})

t.test('two attempts and no more', async (t) => {
  const { port, agent, log } = await startRig(t, { answer: (forward) => fail(forward, 'upstream_died') })
  const told = await ask(port, { body: CHAT })
  t.match([told.status, errorOf(told).code], [502, 'upstream_died'])
  t.equal(agent.forwards.length, MAX_ATTEMPTS)
  t.same(log.bugs(), [])
})

t.test('what was unloaded or has answered is not tried again', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: (forward) =>
      fail(forward, agent.forwards.length === 1 ? 'unloaded' : 'upstream_died', agent.forwards.length === 2),
  })
  const unloaded = await ask(port, { body: CHAT })
  t.match([unloaded.status, errorOf(unloaded).code, unloaded.headers['x-should-retry']], [503, 'unloaded', 'false'])
  t.equal((await ask(port, { body: CHAT })).status, 502)
  t.equal(agent.forwards.length, 2)
})

t.test('an event stream that breaks ends in an error event and no [DONE]', async (t) => {
  const { port } = await startRig(t, {
    answer: (forward) => {
      forward.handler.onHead(eventStream)
      forward.handler.onData(Buffer.from('data: {"x":1}\n\ndata: {"hal'))
      fail(forward, 'upstream_died', true)
    },
  })
  const told = await ask(port, { body: CHAT })
  t.equal(told.status, 200)
  const events = told.text.split('\n\n')
  t.equal(events[0], 'data: {"x":1}')
  const [name, data] = (events[2] ?? '').split('\n')
  t.equal(name, 'event: error')
  t.match(JSON.parse((data ?? '').slice('data: '.length)), { error: { code: 'upstream_died' }, src: 'lswap' })
  t.notMatch(told.text, /DONE/)
})

t.test('any other answer that breaks ends in a reset', async (t) => {
  const { port, agent, log } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['Content-Type', 'application/json'], length: 100 }))
      handler.onData(Buffer.from('{"half":'))
    },
  })
  const client = await rawClient(port)
  client.send(chat(CHAT))
  // A client that has not read yet may find data and reset at once, and tell only of an end
  await client.has('{"half":')
  const [forward] = agent.forwards
  if (forward !== undefined) fail(forward, 'upstream_died', true)
  t.equal(await client.ended(), 'reset')
  await until('it is logged', () => log.lines.some(({ fields }) => fields['code'] === 'upstream_died'))
})

t.test('an answer that HTTP does not allow is an error and not a crash', async (t) => {
  const { port, log } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead(head({ headers: ['X-Bad', 'a\r\nb'] }))
      handler.onData(Buffer.from('x'))
      handler.onEnd([])
    },
  })
  const told = await ask(port, { body: CHAT })
  t.match([told.status, errorOf(told).code], [502, 'upstream_died'])
  t.same(log.bugs(), [])
})
