import t from 'tap'
import {
  AGENT_HEADERS,
  AGENT_PROTOCOL,
  abortOrderSchema,
  agentAboutSchema,
  agentEventSchema,
  agentLookSchema,
  claimedSchema,
  failureSchema,
  proxyPath,
  readProxyPath,
  refusedSchema,
  stoppedSchema,
  stopOrderSchema,
  swapLineSchema,
  swapOrderSchema,
} from '../../../src/protocol/index.ts'

t.test('the path of a process leads back to it, whatever its model is called', (t) => {
  for (const model of ['qwen', 'org/model:Q4@home', 'größe 1%', '..', 'a?b#c']) {
    const path = proxyPath(model, { start: 'k3-x_1', epoch: 12 })
    t.match(path, /^\/v1\/proxy\/[^/?#\s]+$/, model)
    t.same(readProxyPath(`${path}/v1/chat?x=1`), {
      model,
      process: { start: 'k3-x_1', epoch: 12 },
      path: '/v1/chat?x=1',
    })
  }
  t.end()
})

t.test('a path without a start means whichever process is ready, and an empty rest the root', (t) => {
  t.same(readProxyPath('/v1/proxy/qwen/health'), { model: 'qwen', process: undefined, path: '/health' })
  t.same(readProxyPath('/v1/proxy/qwen'), { model: 'qwen', process: undefined, path: '/' })
  t.same(readProxyPath('/v1/proxy/qwen?x'), { model: 'qwen', process: undefined, path: '/?x' })
  t.end()
})

t.test('what is no path of a process is none', (t) => {
  for (const path of [
    '/v1/proxy/',
    '/v1/proxy',
    '/v1/proxy/a@b/c',
    '/v1/proxy/%E0%A4%A/x',
    '/v1/agent',
    '/v1/proxy//x',
  ]) {
    t.equal(readProxyPath(path), undefined, path)
  }
  t.end()
})

t.test('unknown fields are ignored, and a wrong type is told with its path', (t) => {
  const order = { term: 1, seq: 2, model: 'a', evict: ['b'], news: true }
  t.same(swapOrderSchema.parse(order), { term: 1, seq: 2, model: 'a', evict: ['b'], force: false })
  const wrong = swapOrderSchema.safeParse({ ...order, evict: ['b', 3] })
  t.same(wrong.error?.issues[0]?.path, ['evict', 1])
  t.equal(stopOrderSchema.safeParse({ models: 'x' }).success, false)
  t.equal(stopOrderSchema.safeParse({ models: '*', term: 1 }).success, false, 'a term without a number')
  t.equal(abortOrderSchema.safeParse({ term: 1, seq: 2, of: 1 }).success, true)
  t.equal(claimedSchema.safeParse({ term: 0 }).success, false)
  t.equal(AGENT_PROTOCOL, 1)
  t.equal(new Set(Object.values(AGENT_HEADERS)).size, 7)
  t.end()
})

t.test('an error code that only another version knows counts as internal', (t) => {
  t.same(failureSchema.parse({ code: 'from_tomorrow', message: 'm' }), { code: 'internal', message: 'm' })
  t.same(refusedSchema.parse({ error: { code: 'evicted', message: 'm', hint: 'h' } }).error.hint, 'h')
  t.end()
})

t.test('what an older agent does not tell is filled in', (t) => {
  const about = { id: 'a', version: '1', protocol: 1, start: 's', term: 0, models: ['m'] }
  t.same(agentAboutSchema.parse(about).devices, [])
  const state = { model: 'm', phase: 'ready', epoch: 1, pid: 2, url: null, since: 0, memoryBytes: null, lastExit: null }
  const nothing = { at: 1, memory: null, devices: [], processes: [] }
  t.equal(agentLookSchema.parse({ ...nothing, event: 2, states: [state] }).states[0]?.epoch, 1)
  t.same(agentEventSchema.parse({ type: 'sampled', metrics: nothing }).type, 'sampled')
  t.equal(swapLineSchema.safeParse({ type: 'loading', fraction: 0.5 }).success, true)
  t.same(stoppedSchema.parse({ outcomes: [{ model: 'm', outcome: 'stopped' }] }).outcomes[0]?.model, 'm')
  t.end()
})
