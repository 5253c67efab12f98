import t from 'tap'
import type { FakeForward } from './support/fake-agent.ts'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, json, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { startRig } from './support/rig.ts'

t.test('health and version', async (t) => {
  const { port } = await startRig(t)
  t.match(await ask(port, { path: '/health' }), { status: 200, text: 'OK' })
  t.same(json(await ask(port, { path: '/api/version' })), { version: '1.2.3', commit: 'abc' })
})

t.test('the list of models has what OpenAI clients need and what lswap knows', async (t) => {
  const models = [
    model('a', { name: 'Model A', description: 'The first.', aliases: ['gpt-4'] }),
    model('org/b:q4'),
    model('hidden', { unlisted: true }),
  ]
  const { port } = await startRig(t, { models, answer: answerJson({}) })
  await ask(port, { body: '{"model":"a"}' })
  for (const path of ['/v1/models', '/models', '/v1/models?x=1']) {
    const told = await ask(port, { path })
    t.match(json(told), {
      object: 'list',
      data: [
        {
          id: 'a',
          object: 'model',
          created: Number,
          owned_by: 'lswap',
          name: 'Model A',
          description: 'The first.',
          aliases: ['gpt-4'],
          status: { value: 'loaded' },
          meta: { lswap: { state: 'ready', hosts: ['local'], since: Number, expectedLoadMs: Number, queue: 0 } },
        },
        { id: 'org/b:q4', status: { value: 'unloaded' }, meta: { lswap: { state: 'stopped', hosts: [] } } },
      ],
    })
    t.notMatch(told.text, /hidden/)
  }
})

t.test('running shows processes and who waits for one', async (t) => {
  const models = [model('a', { idleMs: 60_000, name: 'A' }), model('b')]
  const { port, agent } = await startRig(t, { models })
  t.same(json(await ask(port, { path: '/running' })), {
    running: [],
    hosts: [
      {
        host: 'local',
        up: true,
        since: null,
        failure: null,
        problems: [],
        url: null,
        version: null,
        engines: [],
        devices: [],
        memory: null,
      },
    ],
    unplaced: [],
  })
  const asked = ask(port, { body: '{"model":"a"}' })
  await until('it is served', () => agent.forwards.length === 1)
  const other = ask(port, { body: '{"model":"b"}' })
  const both = async (): Promise<string> => (await ask(port, { path: '/running' })).text
  while (!(await both()).includes('"model":"b"'));
  t.match(JSON.parse(await both()), {
    running: [
      {
        model: 'a',
        state: 'ready',
        host: 'local',
        pid: 4_001,
        url: 'http://127.0.0.1:5800',
        proxy: 'http://127.0.0.1:5800',
        ttl: 60,
        name: 'A',
        inFlight: 1,
        memoryBytes: 123_456,
        idleMs: null,
        untilMs: null,
      },
      { model: 'b', waiting: 1 },
    ],
  })
  answerJson({})(agent.forwards[0] as FakeForward)
  await asked
  await until('the other is served', () => agent.forwards.length === 2)
  answerJson({})(agent.forwards[1] as FakeForward)
  await other
  await ask(port, { method: 'POST', path: '/api/models/load/a' })
  t.match(json(await ask(port, { path: '/running' })), {
    running: [{ model: 'a', state: 'ready', inFlight: 0, waiting: 0, idleMs: Number, untilMs: Number }],
  })
})

t.test('running answers although an agent does not', async (t) => {
  const { port } = await startRig(t, {
    answer: answerJson({}),
    agent: (fake) => {
      let asked = 0
      // Answers when the router starts and never again
      return { ...fake, processes: () => (asked++ === 0 ? fake.processes() : new Promise(() => {})) }
    },
  })
  await ask(port, { body: '{"model":"a"}' })
  t.match(json(await ask(port, { path: '/running' })), { running: [{ model: 'a', state: 'ready', pid: null }] })
})

t.test('a state is never changed by GET: the answer names the way', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  await ask(port, { body: '{"model":"a"}' })
  for (const path of ['/unload', '/api/models/unload', '/api/models/unload/a', '/api/models/load/b']) {
    const told = await ask(port, { path })
    t.match([told.status, errorOf(told).code, told.headers.allow], [405, 'method_not_allowed', 'POST'], path)
  }
  t.match(errorOf(await ask(port, { path: '/unload' })).message, /POST \/api\/models\/unload/)
  t.same(agent.stops, [])
})

t.test('unknown routes and methods are errors in JSON; HEAD works where GET does', async (t) => {
  const { port } = await startRig(t)
  const unknown = await ask(port, { path: '/v2/chat' })
  t.match([unknown.status, errorOf(unknown)], [404, { code: 'not_found', type: 'invalid_request_error' }])
  const wrong = await ask(port, { path: '/v1/chat/completions' })
  t.match([wrong.status, wrong.headers.allow], [405, 'POST'])
  t.match([(await ask(port, { method: 'DELETE', path: '/v1/models' })).headers.allow], ['GET, HEAD'])
  for (const path of ['/v1/models', '/running', '/health', '/metrics', '/api/version']) {
    const head = await ask(port, { method: 'HEAD', path })
    t.match([head.status, head.text, head.headers['content-length']], [200, '', /^[1-9]/], path)
  }
})

t.test('metrics count by model, status and cause, and no name that a client made up', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({}) })
  await ask(port, { body: '{"model":"a"}' })
  await ask(port, { body: '{"model":"made-up"}' })
  const told = await ask(port, { path: '/metrics' })
  t.match(told.headers['content-type'], /^text\/plain; version=0\.0\.4/)
  t.match(told.text, /^lswap_requests_total\{model="a",code="200"\} 1$/m)
  t.match(told.text, /^lswap_requests_total\{model="other",code="404"\} 1$/m)
  t.match(told.text, /^lswap_rejected_total\{code="model_not_found"\} 1$/m)
  t.match(told.text, /^lswap_model_state\{model="a",host="local",state="ready"\} 1$/m)
  t.match(told.text, /^lswap_queue_depth\{band="urgent"\} 0$/m)
  t.match(told.text, /^lswap_in_flight\{model="a",host="local"\} 0$/m)
  t.match(told.text, /^process_cpu_seconds_total/m)
  t.notMatch(told.text, /made-up/)
})
