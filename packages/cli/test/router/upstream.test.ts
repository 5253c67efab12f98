import { modelId } from '@lswap/core'
import t from 'tap'
import { gzipSync } from 'node:zlib'
import { answerJson, fail } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { access, bearer, key } from './support/keys.ts'
import { chat, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'

const MODELS = [model('a', { aliases: ['x'] }), model('org/m'), model('org/m/deep'), model('b')]

t.test('the longest run of segments that names a model, and the rest as it came', async (t) => {
  const { port, agent } = await startRig(t, { models: MODELS, answer: answerJson({}) })
  for (const [path, to, rest] of [
    ['/upstream/a/', 'a', '/'],
    ['/upstream/x/v1/models?x=%2F&y', 'a', '/v1/models?x=%2F&y'],
    ['/upstream/org/m/deep/er', 'org/m/deep', '/er'],
    ['/upstream/org/m/deeper', 'org/m', '/deeper'],
    ['/upstream/org%2Fm/userdata/workflows%2Fmine.json', 'org/m', '/userdata/workflows%2Fmine.json'],
    ['/upstream/a//double/', 'a', '//double/'],
    ['/upstream/a/%zz', 'a', '/%zz'],
    ['/upstream/a/../b', 'a', '/../b'],
  ] as const) {
    const told = await ask(port, { path })
    t.match([told.status, told.headers['x-lswap-model']], [200, to], path)
    t.equal(agent.forwards.at(-1)?.request.path, rest, path)
  }
})

t.test('any method, any body, and the answer as it is', async (t) => {
  const { port, agent } = await startRig(t, {
    answer: ({ handler }) => {
      handler.onHead({ status: 302, reason: 'Found', headers: ['Location', '/login', 'Set-Cookie', 'a=1'], length: 0 })
      handler.onEnd([])
    },
  })
  const body = gzipSync('no JSON at all')
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'POST', 'PROPFIND']) {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': String(body.length), 'Content-Type': 'a/b' }
    const told = await ask(port, { method, path: '/upstream/a/api/x', headers, body })
    t.match([told.status, told.headers.location, told.headers['set-cookie']], [302, '/login', ['a=1']], method)
    t.equal(agent.forwards.at(-1)?.request.method, method)
    t.same(await agent.forwards.at(-1)?.body(), body, method)
  }
})

t.test('a model that is not loaded is loaded, but not for what pages are made of', async (t) => {
  const { port, agent } = await startRig(t, { models: MODELS, answer: answerJson({}) })
  const asset = await ask(port, { path: '/upstream/a/static/app%2Ejs?v=1' })
  t.match([asset.status, errorOf(asset).code], [409, 'model_not_loaded'])
  t.equal(asset.headers['x-should-retry'], 'false')
  t.equal(agent.swaps.length, 0)
  t.equal((await ask(port, { path: '/upstream/a/' })).status, 200)
  t.equal((await ask(port, { path: '/upstream/a/static/app.js' })).status, 200, 'loaded, it is served')
  t.equal((await ask(port, { path: '/upstream/b/app.js' })).status, 409, 'and another is not swapped in')
  t.equal(agent.swaps.length, 1)
})

t.test('upstream.ignorePaths of the file replace those', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}), config: { ignorePaths: ['^/ws$', '(?i)JOBS'] } })
  t.equal((await ask(port, { path: '/upstream/a/ws' })).status, 409)
  t.equal((await ask(port, { path: '/upstream/a/api/jobs/1', method: 'POST', body: 'x' })).status, 409)
  t.equal(agent.swaps.length, 0)
  t.equal((await ask(port, { path: '/upstream/a/app.js' })).status, 200)
})

t.test('a path without the slash behind the model leads to it, on the same way and with its query', async (t) => {
  const { port, agent } = await startRig(t, { models: MODELS })
  const look = await ask(port, { path: '/upstream/org/m?x=1' })
  t.match([look.status, look.headers.location, look.text], [301, './m/?x=1', ''])
  t.equal(new URL('./m/?x=1', 'http://box/proxy/upstream/org/m?x=1').pathname, '/proxy/upstream/org/m/')
  const sent = await ask(port, { path: '/upstream/org%2Fm', method: 'POST', body: 'x' })
  t.match([sent.status, sent.headers.location], [308, './org%2Fm/'])
  t.equal(agent.swaps.length, 0)
})

t.test('what names no model is told so; long paths are not looked through', async (t) => {
  const { port } = await startRig(t, { models: MODELS })
  for (const path of ['/upstream/nope/a', '/upstream//a', '/upstream/org', `/upstream/${'y/'.repeat(8_000)}a`]) {
    const told = await ask(port, { path })
    t.match([told.status, errorOf(told).code], [404, 'model_not_found'], path.slice(0, 40))
  }
})

t.test('pages take no slot: they pass beside a request that has the only one; inference waits for it', async (t) => {
  const { port, agent } = await startRig(t, {
    models: [model('a', { concurrencyLimit: 1 })],
    answer: (forward) => {
      if (!forward.request.path.startsWith('/v1/chat')) answerJson({})(forward)
    },
  })
  const first = await rawClient(port)
  t.teardown(() => first.socket.destroy())
  first.send(chat('{"model":"a"}'))
  await until('it has the slot', () => agent.forwards.length === 1)
  t.equal((await ask(port, { path: '/upstream/a/x.css' })).status, 200)
  t.equal((await ask(port, { path: '/upstream/a/' })).status, 200)
  const second = await rawClient(port)
  t.teardown(() => second.socket.destroy())
  second.send(chat('{}').replace('/v1/chat', '/upstream/a/v1/chat'))
  await until('it waits', () => agent.forwards.length === 3)
  const [held] = agent.forwards
  if (held !== undefined) answerJson({})(held)
  await until('its turn came', () => agent.forwards.length === 4)
  t.equal(agent.forwards.at(-1)?.request.path, '/v1/chat/completions')
})

t.test('inference wants infer, everything else admin, and keys of some models reach those only', async (t) => {
  const keys = [
    key('app', { scopes: ['infer'] }),
    key('boss', { scopes: ['admin'] }),
    key('only-b', { models: [modelId('b')] }),
  ]
  const { port, agent } = await startRig(t, { config: { access: access({ keys }) }, answer: answerJson({}) })
  const status = async (name: string, path: string, method = 'GET'): Promise<number> => {
    const headers = bearer(name)
    return (await ask(port, { method, path, headers, ...(method === 'POST' && { body: '{"model":"b"}' }) })).status
  }
  t.equal(await status('app', '/upstream/a/v1/chat/completions', 'POST'), 200)
  t.notMatch(agent.forwards.at(-1)?.request.headers.join(), /sk-/, 'the key stays here')
  for (const [path, method] of [
    ['/upstream/a/', 'GET'],
    ['/upstream/a', 'GET'],
    ['/upstream', 'GET'],
    ['/', 'GET'],
    ['/upstream/a/v1/chat/completions', 'GET'],
    ['/upstream/a/v1/chat/completions/', 'POST'],
    ['/upstream/a/v1/chat/../chat/completions', 'POST'],
    ['/upstream/a/v1/chat%2Fcompletions', 'POST'],
    ['/upstream/a/slots', 'GET'],
    ['/upstream/a/v/chat/completions', 'POST'],
  ] as const) {
    t.equal(await status('app', path, method), 403, `${method} ${path} with infer`)
    t.notOk([401, 403].includes(await status('boss', path, method)), `${method} ${path} with admin`)
  }
  t.equal(await status('boss', '/upstream/a/v1/chat/completions', 'POST'), 403)
  t.equal(await status('only-b', '/upstream/b/'), 200)
  t.equal(await status('only-b', '/upstream/a/'), 403)
  t.equal(await status('only-b', '/upstream/a/v1/chat/completions', 'POST'), 403, 'the path decides, not the body')
  const stranger = await ask(port, { path: '/upstream/a/' })
  t.match([stranger.status, stranger.headers['www-authenticate']], [401, /^Basic realm="lswap"/], 'a browser asks')
  const visitor = await ask(port, { path: '/', headers: { Accept: 'text/html,*/*;q=0.8' } })
  t.match([visitor.status, visitor.headers['www-authenticate']], [401, /^Basic realm="lswap"/], 'at the list, too')
  const Authorization = `Basic ${Buffer.from(':sk-boss').toString('base64')}`
  t.equal((await ask(port, { path: '/upstream/a/', headers: { Authorization } })).status, 200)
})

t.test('pages of other sites and other names are refused, and listed ones may use every method', async (t) => {
  const { port, agent } = await startRig(t, { config: { access: access({ cors: ['https://ok.test'] }) } })
  const path = '/upstream/a/x'
  t.equal((await ask(port, { path, headers: { Host: 'evil.test' } })).status, 403)
  t.equal((await ask(port, { path, headers: { Origin: 'https://evil.test' } })).status, 403)
  t.equal(agent.swaps.length, 0)
  const asked = await ask(port, {
    path,
    method: 'OPTIONS',
    headers: { Origin: 'https://ok.test', 'Access-Control-Request-Method': 'DELETE' },
  })
  t.match([asked.status, asked.headers['access-control-allow-methods']], [204, /DELETE/])
})

t.test(
  'filters of the model edit the JSON of inference, by the name in the path; all else is left alone',
  async (t) => {
    const filters = {
      stripParams: ['top_k'],
      setParams: [{ key: 'seed', json: '7' }],
      setParamsById: [{ name: 'fast', params: [{ key: 'seed', json: '8' }] }],
    }
    const models = [model('a', { aliases: ['fast'], useModelName: 'real', filters })]
    const { port, agent } = await startRig(t, { models, answer: answerJson({}) })
    const through = async (path: string, body: string): Promise<string | undefined> => {
      const before = agent.forwards.length
      const told = await ask(port, { path, body })
      return told.status === 200 ? (await agent.forwards[before]?.body())?.toString() : errorOf(told).code
    }
    const body = '{"top_k":1,"model":"whatever","x":[]}'
    t.equal(await through('/upstream/a/v1/completions', body), '{"model":"real","seed":7,"x":[]}')
    t.equal(await through('/upstream/fast/v1/completions', body), '{"model":"real","seed":8,"x":[]}')
    t.equal(await through('/upstream/a/other', body), body)
    t.equal(await through('/upstream/a/v1/completions', '{"top_k":1}'), '{"top_k":1}', 'without a model')
    for (const broken of ['no JSON', '', '{"top_k":1', '{"model":"a","top_k":1,"model":"b"}', '{"top_k":1,"x":NaN}'])
      t.equal(await through('/upstream/a/v1/completions', broken), 'invalid_json', 'it would get past the filters')
    t.equal(await through('/upstream/a/other', 'no JSON'), 'no JSON')
  },
)

t.test('large bodies stream through in their bounds', async (t) => {
  const limits = { maxBodyBytes: 1_000, maxUploadBytes: 3_000_000 }
  const got: number[] = []
  const readAndAnswer = async (forward: FakeForward): Promise<void> => {
    got.push((await forward.body()).length)
    answerJson({})(forward)
  }
  const { port } = await startRig(t, {
    limits,
    answer: (forward) => void readAndAnswer(forward),
  })
  const large = Buffer.alloc(2_500_000, 'x')
  t.equal((await ask(port, { path: '/upstream/a/upload', method: 'PUT', body: large })).status, 200)
  t.same(got, [large.length])
  const over = await ask(port, { path: '/upstream/a/upload', method: 'PUT', body: Buffer.alloc(3_000_001) })
  t.match([over.status, errorOf(over)], [413, { message: /maxUploadBytes/ }])
  const json = await ask(port, { path: '/upstream/a/v1/completions', body: large })
  t.match([json.status, errorOf(json)], [413, { message: /maxBodyBytes/ }])
})

t.test("errors have the shape of the engine's path", async (t) => {
  const { port } = await startRig(t, { answer: (forward) => fail(forward, 'upstream_died') })
  const told = await ask(port, { path: '/upstream/a/v1/messages', body: '{}' })
  t.match([told.status, JSON.parse(told.text)], [502, { type: 'error', error: { type: 'api_error' } }])
})

t.test('/upstream lists what is there: links for a browser, JSON for programs', async (t) => {
  const models = [model('org/<m> é'), model('b', { unlisted: true })]
  const { port } = await startRig(t, { models })
  const told = await ask(port, { path: '/upstream' })
  const path = '/upstream/org/%3Cm%3E%20%C3%A9/'
  t.same(JSON.parse(told.text), { upstreams: [{ model: 'org/<m> é', path, state: 'stopped' }] })
  const page = await ask(port, { path: '/upstream/', headers: { Accept: 'text/html,*/*' } })
  t.match(page.text, `<a href="${path}">org/&#60;m&#62; é</a> stopped`)
  t.equal(
    (await ask(port, { path: '/', headers: { Accept: 'text/html' } })).text,
    page.text,
    'also at the address itself',
  )
})

t.test('only inference counts as a request of the model', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({}) })
  await ask(port, { path: '/upstream/a/page' })
  await ask(port, { path: '/upstream/a/v1/completions', body: '{}' })
  const { text } = await ask(port, { path: '/metrics' })
  t.match(text, /lswap_requests_total\{model="a",code="200"\} 1\n/)
})
