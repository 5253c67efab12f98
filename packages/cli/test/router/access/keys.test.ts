import { modelId } from '@lswap/core'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import t from 'tap'
import { answerJson } from '../support/answers.ts'
import { ask, errorOf, until } from '../support/ask.ts'
import { model } from '../support/config.ts'
import { access, bearer, key } from '../support/keys.ts'
import { startRig } from '../support/rig.ts'

const only = (...ids: readonly string[]) => ({ models: ids.map((id) => modelId(id)) })

t.test(
  'a key that reaches one model: others are forbidden wherever they are named, and lists leave them out',
  async (t) => {
    const { port, agent } = await startRig(t, {
      models: [model('a'), model('b', { aliases: ['bee'] })],
      answer: answerJson({ ok: true }),
      config: { access: access({ keys: [key('all'), key('app', only('a'))] }) },
    })
    const headers = bearer('app')
    t.equal((await ask(port, { body: '{"model":"a"}', headers })).status, 200)
    for (const name of ['b', 'bee']) {
      const told = await ask(port, { body: `{"model":"${name}"}`, headers })
      t.match([told.status, errorOf(told)], [403, { code: 'forbidden', message: name }])
      for (const act of ['load', 'unload', 'pin', 'unpin']) {
        const acted = await ask(port, { method: 'POST', path: `/api/models/${act}/${name}`, headers })
        t.equal(acted.status, 403, act)
      }
    }
    t.equal((await ask(port, { method: 'POST', path: '/api/models/unload', headers })).status, 403, 'nor all at once')
    t.same(
      agent.swaps.map((swap) => swap.model),
      ['a'],
    )
    t.equal((await ask(port, { body: '{"model":"nope"}', headers })).status, 404)

    const other = await ask(port, { body: '{"model":"b"}', headers: bearer('all') })
    const id = String(other.headers['x-lswap-request-id'])
    for (const path of [`/api/requests/${id}`, `/api/requests/${id}/cancel`]) {
      const method = path.endsWith('cancel') ? 'POST' : 'GET'
      t.equal((await ask(port, { method, path, headers })).status, 403, path)
      t.equal((await ask(port, { method, path, headers: bearer('all') })).status, 200, path)
    }
    for (const path of ['/v1/models', '/running', '/api/requests', '/api/queue']) {
      t.match((await ask(port, { path, headers: bearer('all') })).text, '"b"', path)
      t.notMatch((await ask(port, { path, headers })).text, '"b"', path)
    }
  },
)

t.test('a key that reaches some models only can not name a second one further on', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: answerJson({}),
    config: { access: access({ keys: [key('all'), key('app', only('a'))] }) },
  })
  const body = '{"model":"a","messages":[],"model":"b"}'
  t.equal((await ask(port, { body, headers: bearer('app') })).status, 400)
  t.equal(agent.forwards.length, 0)
  t.equal((await ask(port, { body, headers: bearer('all') })).status, 200)
})

t.test('of the models that are ready, a key that names none gets its own', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: answerJson({}),
    config: { access: access({ keys: [key('app', only('a'))] }), swapper: 'group' },
  })
  await ask(port, { body: '{"model":"a"}', headers: bearer('app') })
  t.equal((await ask(port, { path: '/props', headers: bearer('app') })).status, 200)
  t.equal((await ask(port, { path: '/props?model=b', headers: bearer('app') })).status, 403)
  t.equal(agent.forwards.length, 2)
})

t.test('a client that asks before it sends its body is told to go on only once its key is good', async (t) => {
  const { port } = await startRig(t, {
    answer: answerJson({}),
    config: { access: access({ keys: [key('app'), key('view', { scopes: ['read'] })] }) },
  })
  const told = async (headers: Record<string, string>): Promise<readonly [boolean, number | undefined]> => {
    const body = '{"model":"a"}'
    const sent = request({
      host: '127.0.0.1',
      port,
      agent: false,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { ...headers, Expect: '100-continue', 'Content-Length': String(body.length) },
    })
    let isAsked = false
    sent.on('continue', () => {
      isAsked = true
      sent.end(body)
    })
    sent.flushHeaders()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    sent.destroy()
    return [isAsked, response.statusCode]
  }
  t.same(await told(bearer('app')), [true, 200])
  t.same(await told({}), [false, 401])
  t.same(await told(bearer('view')), [false, 403])
})

t.test('the key stays here; without keys configured such headers are for the engine', async (t) => {
  const told = async (keys: boolean, headers: Record<string, string>): Promise<readonly string[]> => {
    const rig = await startRig(t, {
      answer: answerJson({}),
      config: { access: access({ keys: keys ? [key('app')] : [] }) },
    })
    t.equal((await ask(rig.port, { body: '{"model":"a"}', headers })).status, 200)
    return (rig.agent.forwards[0]?.request.headers ?? []).map((text) => text.toLowerCase())
  }
  const both = { AUTHORIZATION: 'Bearer leftover', 'X-API-Key': 'sk-app', 'X-Other': 'kept' }
  const stripped = await told(true, both)
  t.ok(stripped.includes('x-other'))
  for (const text of ['authorization', 'x-api-key', 'bearer leftover', 'sk-app']) t.notOk(stripped.includes(text), text)
  const passed = await told(false, both)
  for (const text of ['authorization', 'x-api-key']) t.ok(passed.includes(text), text)
})

t.test('a cap on priority holds for what is asked and for what the model says', async (t) => {
  const { port } = await startRig(t, {
    models: [model('a', { priority: 20 })],
    answer: answerJson({}),
    config: { access: access({ keys: [key('app', { maxPriority: 5 }), key('batch', { maxPriority: -5 })] }) },
  })
  const asked = async (name: string, headers: Record<string, string>): Promise<unknown> => {
    const { headers: own } = await ask(port, { body: '{"model":"a"}', headers: { ...bearer(name), ...headers } })
    const path = `/api/requests/${String(own['x-lswap-request-id'])}`
    return JSON.parse((await ask(port, { path, headers: bearer('app') })).text)
  }
  const urgent = { 'X-LlamaSwap-Priority': '50', 'X-Lswap-Criticality': 'critical' }
  t.match(await asked('app', urgent), { priority: 5, criticality: 'critical', caller: 'app' })
  t.match(await asked('app', {}), { priority: 5 })
  t.match(await asked('app', { 'X-LlamaSwap-Priority': '3' }), { priority: 3 })
  t.match(await asked('batch', urgent), { priority: -5, criticality: 'sheddable', caller: 'batch' })
})

t.test('a key beyond its concurrency waits outside the order while others are served', async (t) => {
  const { port, agent } = await startRig(t, {
    models: [model('a', { concurrencyLimit: 4 })],
    config: { access: access({ keys: [key('app', { concurrency: 1 }), key('other')] }) },
  })
  const chat = (name: string) => ask(port, { body: '{"model":"a"}', headers: bearer(name) })
  const first = chat('app')
  await until('the first is served', () => agent.forwards.length === 1)
  const second = chat('app')
  const third = chat('other')
  await until('the other key is served', () => agent.forwards.length === 2)
  t.match((await ask(port, { path: '/api/queue', headers: bearer('other') })).text, /"caller":"app"/)
  for (const at of [0, 1]) {
    const forward = agent.forwards[at]
    if (forward !== undefined) answerJson({})(forward)
  }
  await until('the second follows', () => agent.forwards.length === 3)
  const last = agent.forwards[2]
  if (last !== undefined) answerJson({})(last)
  t.same(
    (await Promise.all([first, second, third])).map(({ status }) => status),
    [200, 200, 200],
  )
})
