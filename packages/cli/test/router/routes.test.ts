import t from 'tap'
import { answerJson, eventStream, fail } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { chat, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'

const BODY = '{"model":"a"}'

t.test('JSON is read as JSON whatever its Content-Type; the path goes on as it came, without /v', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const paths = [
    ['/v1/responses?x=%2F', '/v1/responses?x=%2F'],
    ['/v/chat/completions?x=1', '/chat/completions?x=1'],
    ['/v/v1/chat/completions', '/v1/chat/completions'],
    ['/v/rerank', '/rerank'],
    ['/infill', '/infill'],
  ]
  for (const [path = '', expected] of paths) {
    const told = await ask(port, { path, body: BODY, headers: { 'Content-Type': 'text/plain' } })
    t.equal(told.status, 200, path)
    t.equal(agent.forwards.at(-1)?.request.method, 'POST')
    t.equal(agent.forwards.at(-1)?.request.path, expected)
    t.ok(agent.forwards.at(-1)?.request.headers.includes('text/plain'), 'the header is left alone')
  }
})

t.test('counting and templates need no slot: they go beside a request that has the only one', async (t) => {
  const models = [model('a', { concurrencyLimit: 1 })]
  const { port, agent } = await startRig(t, {
    models,
    answer: (forward) => {
      if (!forward.request.path.startsWith('/v1/chat')) answerJson({})(forward)
    },
  })
  const first = await rawClient(port)
  t.teardown(() => first.socket.destroy())
  first.send(chat(BODY))
  await until('it has the slot', () => agent.forwards.length === 1)
  for (const path of ['/tokenize', '/detokenize', '/apply-template', '/v1/messages/count_tokens'])
    t.equal((await ask(port, { path, body: BODY })).status, 200, path)
})

t.test('a GET asks the model of ?model=, else the one that is ready, and never loads', async (t) => {
  const models = [model('a', { aliases: ['x'] }), model('b'), model('c', { unlisted: true })]
  const { port, agent } = await startRig(t, {
    models,
    config: { swapper: 'group', groups: [{ id: 'g', swap: false, exclusive: false, persistent: false, members: [] }] },
    answer: answerJson({}),
  })
  const none = await ask(port, { path: '/props' })
  t.match([none.status, errorOf(none)], [400, { code: 'model_missing', message: /No model is ready.*: a, b\./ }])
  const cold = await ask(port, { path: '/props?model=b' })
  t.match([cold.status, errorOf(cold).code], [409, 'model_not_loaded'])
  const unknown = await ask(port, { path: '/props?model=nope' })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
  t.equal(agent.swaps.length, 0)
  await ask(port, { body: BODY })
  const only = await ask(port, { path: '/slots' })
  t.match([only.status, only.headers['x-lswap-model']], [200, 'a'])
  const named = await ask(port, { path: '/v1/audio/voices?x=1&model=x' })
  t.match([named.status, named.headers['x-lswap-model']], [200, 'a'])
  t.match(agent.forwards.at(-1)?.request, { method: 'GET', path: '/v1/audio/voices?x=1&model=x' })
  t.same(await agent.forwards.at(-1)?.body(), Buffer.alloc(0))
  t.equal(agent.swaps.length, 1)
})

const isLooking = (path = ''): boolean => path.startsWith('/slots') || path === '/events'

t.test('what only looks keeps no model loaded: it is closed when another needs the place', async (t) => {
  const { port, agent } = await startRig(t, {
    models: [model('a'), model('b')],
    answer: (forward) => {
      if (!isLooking(forward.request.path)) answerJson({})(forward)
    },
  })
  for (const path of ['/slots?model=a', '/upstream/a/events']) {
    await ask(port, { body: BODY })
    const looking = ask(port, { path })
    await until('it looks', () => isLooking(agent.forwards.at(-1)?.request.path))
    const look = agent.forwards.at(-1)
    t.equal((await ask(port, { body: '{"model":"b"}' })).status, 200, 'the swap does not wait for it')
    const closed = await looking
    t.match([closed.status, errorOf(closed)], [503, { code: 'evicted', message: /make room for b/ }], path)
    t.equal(look?.aborted, true)
  }
})

t.test('a GET with several ready models lists those', async (t) => {
  const models = [model('a'), model('b'), model('c')]
  const { port } = await startRig(t, {
    models,
    config: {
      swapper: 'group',
      groups: [{ id: 'g', swap: false, exclusive: false, persistent: false, members: models.map(({ id }) => id) }],
    },
    answer: answerJson({}),
  })
  await ask(port, { body: BODY })
  await ask(port, { body: '{"model":"c"}' })
  const told = await ask(port, { path: '/props' })
  t.match([told.status, errorOf(told)], [400, { code: 'model_missing', message: /Several.*\?model=: a, c\.$/ }])
})

t.test("errors on Anthropic's routes have its shape: before the answer, and in its stream", async (t) => {
  const { port, agent } = await startRig(t, { answer: ({ handler }) => handler.onHead(eventStream) })
  const unknown = await ask(port, { path: '/v1/messages', body: '{"model":"nope"}' })
  t.equal(unknown.status, 404)
  t.match(JSON.parse(unknown.text), { type: 'error', error: { type: 'not_found_error', message: /"nope"/ } })
  const wrong = await ask(port, { path: '/v1/messages', method: 'GET' })
  t.match([wrong.status, JSON.parse(wrong.text)], [405, { type: 'error', error: { type: 'invalid_request_error' } }])
  const asked = ask(port, { path: '/v1/messages', body: '{"model":"a","stream":true}' })
  await until('it is forwarded', () => agent.forwards.length === 1)
  const [forward] = agent.forwards
  await until('the answer has begun', () => forward?.handler.onData(Buffer.from(': x\n\n')) === true)
  if (forward !== undefined) fail(forward, 'upstream_died', true)
  const event = /\n\nevent: error\ndata: (.*)\n\n$/.exec((await asked).text)?.[1] ?? '{}'
  t.match(JSON.parse(event), { type: 'error', error: { type: 'api_error', message: 'It is upstream_died.' } })
})

t.test('who accepts text gets the message as text', async (t) => {
  const { port } = await startRig(t)
  const headers = { Accept: 'text/plain' }
  const told = await ask(port, { path: '/v1/messages', body: '{"model":"nope"}', headers })
  t.match([told.status, told.headers['content-type']], [404, /^text\/plain/])
  t.equal(told.text, 'No model "nope" is configured. `lswap models` or GET /v1/models lists them.\n')
})
