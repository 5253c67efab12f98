import type { Failure } from '@lswap/core'
import t from 'tap'
import type { Test } from 'tap'
import type { FakeForward } from './support/fake-agent.ts'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'

const json = (told: { readonly text: string }): unknown => JSON.parse(told.text)

t.test('health and version', async (t) => {
  const { port } = await startRig(t)
  t.match(await ask(port, { path: '/health' }), { status: 200, text: 'OK' })
  t.same(json(await ask(port, { path: '/api/version' })), { version: '1.2.3' })
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
        { id: 'org/b:q4', name: null, status: { value: 'unloaded' }, meta: { lswap: { state: 'stopped', hosts: [] } } },
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

t.test('load answers when the model is ready, by id or alias, as often as it is asked', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('org/a', { aliases: ['x'] })] })
  for (const path of ['/api/models/load/org/a', '/api/models/load/org%2Fa', '/api/models/load/x']) {
    const told = await ask(port, { method: 'POST', path })
    t.match([told.status, json(told)], [200, { msg: 'ok', model: 'org/a', state: 'ready', host: 'local' }])
  }
  t.equal(agent.swaps.length, 1)
  const unknown = await ask(port, { method: 'POST', path: '/api/models/load/nope' })
  t.match([unknown.status, errorOf(unknown).code], [404, 'model_not_found'])
  const broken = await ask(port, { method: 'POST', path: '/api/models/load/%ff' })
  t.match([broken.status, errorOf(broken).code], [400, 'invalid_request'])
})

t.test('load without waiting answers at once; a client that leaves lets the load go on', async (t) => {
  const { port, agent } = await startRig(t, { load: () => new Promise(() => {}) })
  const told = await ask(port, { method: 'POST', path: '/api/models/load/a?wait=false' })
  t.match([told.status, json(told)], [202, { msg: 'accepted', state: 'loading' }])
  const client = await rawClient(port)
  client.send('POST /api/models/load/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n')
  const waiting = async (): Promise<string> => (await ask(port, { path: '/running' })).text
  while (!(await waiting()).includes('"waiting":2'));
  client.socket.destroy()
  while (!(await waiting()).includes('"waiting":1'));
  t.equal(agent.swaps.length, 1)
  t.same(agent.aborts, [])
})

t.test('a load that fails says why', async (t) => {
  const failure = { code: 'start_timeout' as const, message: 'Not ready in 120 s.' }
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 0 }
  const { port } = await startRig(t, { load: async () => ({ outcome: 'failed', failure, evictions: [], timings }) })
  const told = await ask(port, { method: 'POST', path: '/api/models/load/a' })
  t.match([told.status, errorOf(told)], [504, { code: 'start_timeout', message: /Not ready/ }])
})

t.test('unload stops one model or all, with the time that was given', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const cases = [
    ['/api/models/unload/a', 600_000],
    ['/api/models/unload/a?timeout=1.5', 1_500],
    ['/api/models/unload/a?timeout=0', 0],
    ['/api/models/unload/a?force=true', 0],
    ['/api/models/unload', 600_000],
    ['/unload?timeout=999999999', 2 ** 31 - 1],
  ] as const
  for (const [path, drainMs] of cases) {
    await ask(port, { body: '{"model":"a"}' })
    const told = await ask(port, { method: 'POST', path })
    t.match([told.status, json(told)], [200, { msg: 'ok', unloaded: [{ model: 'a', host: 'local' }] }], path)
    t.match(agent.stops.at(-1), { models: ['a'], drainMs })
    t.equal(agent.running.size, 0)
  }
  t.match(json(await ask(port, { method: 'POST', path: '/api/models/unload/b' })), { msg: 'ok', unloaded: [] })
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload/a?wait=false' })).status, 202)
  for (const timeout of ['-1', 'x', '', '1e3']) {
    const told = await ask(port, { method: 'POST', path: `/api/models/unload/a?timeout=${timeout}` })
    t.match([told.status, errorOf(told).code], [400, 'invalid_request'], timeout)
  }
  t.equal((await ask(port, { method: 'POST', path: '/api/models/unload/nope' })).status, 404)
})

/** What is answered to an unload whose stop fails so. */
const unloadFailing = async (t: Test, failure: Failure) => {
  const { port } = await startRig(t, {
    answer: answerJson({}),
    stop: async ({ models }) =>
      models.map((id) => ({ placement: { model: id, host: model('a').hosts[0] as never }, outcome: 'stuck', failure })),
  })
  await ask(port, { body: '{"model":"a"}' })
  return ask(port, { method: 'POST', path: '/api/models/unload/a' })
}

t.test('a process that would not end is told', async (t) => {
  const told = await unloadFailing(t, { code: 'stop_failed', message: 'pid 7 is still there.' })
  t.match([told.status, errorOf(told)], [502, { code: 'stop_failed', message: /a on local: pid 7 is still there/ }])
})

t.test('a stop whose host was lost is no process that would not end', async (t) => {
  const told = await unloadFailing(t, { code: 'host_unreachable', message: 'its agent was killed' })
  t.match(
    [told.status, errorOf(told)],
    [503, { code: 'host_unreachable', message: /a on local: its agent was killed/ }],
  )
})

t.test('unloading ends those who wait, and tells clients not to come back at once', async (t) => {
  const { port, agent } = await startRig(t, { load: () => new Promise(() => {}) })
  const asked = ask(port, { body: '{"model":"a"}' })
  await until('the load has begun', () => agent.swaps.length === 1)
  void ask(port, { method: 'POST', path: '/api/models/unload/a' }).catch(() => {})
  const told = await asked
  t.match([told.status, errorOf(told).code, told.headers['x-should-retry']], [503, 'unloaded', 'false'])
  t.equal(told.headers['retry-after'], undefined)
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
