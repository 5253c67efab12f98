import type { FeedState } from '@lswap/core/protocol'
import t from 'tap'
import { answerJson, head } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { readFeed } from './support/feed-reader.ts'
import { access, bearer, key } from './support/keys.ts'
import { startRig } from './support/rig.ts'
import { waits } from './support/waiting.ts'

const stateOf = (state: FeedState, name: string): string | undefined =>
  state.models.find((one) => one.model === name)?.state

t.test('a snapshot first, then what changes: a request from its wait to its end, and its swap', async (t) => {
  const models = [model('a', { concurrencyLimit: 1, name: 'Model A' }), model('b')]
  const { port, agent } = await startRig(t, { models })
  const feed = await readFeed(port)
  const first = await feed.shows('something', () => true)
  t.equal(feed.events[0]?.type, 'snapshot')
  t.match(feed.response.headers, { 'content-type': /^text\/event-stream/, 'x-accel-buffering': 'no' })
  t.match(first, {
    router: { version: '1.2.3', isClosing: false },
    hosts: [{ host: 'local', up: true }],
    models: [
      { model: 'a', name: 'Model A', state: 'stopped' },
      { model: 'b', state: 'stopped' },
    ],
    queue: { total: 0 },
    waiting: [],
    rates: { tokensPerSecond: 0, wastedLoads: 0 },
  })
  const running = ask(port, { body: '{"model":"a"}' })
  await feed.shows('one that runs', ({ running: [one] }) => one?.model === 'a' && one.answeredAt === null)
  t.match(feed.state().swaps[0], { model: 'a', host: 'local', evict: [], result: 'ready', endedAt: Number })
  agent.forwards[0]?.handler.onHead(head())
  await feed.shows('that its answer began', ({ running: [one] }) => one?.answeredAt != null)
  const { id, answer } = await waits(port, 'a', { 'X-Lswap-Priority': '2' })
  const waiting = await feed.shows('who waits', ({ waiting: [one] }) => one?.id === id && one.cause !== null)
  t.match(waiting, {
    queue: { total: 1 },
    waiting: [
      { position: 1, band: 'urgent', priority: 2, cause: { type: 'slots-full', text: 'slots full: 1 of 1 of a' } },
    ],
  })
  const placed = await feed.shows('its process', ({ models: [one] }) => one?.placements[0]?.pid != null)
  t.match(
    placed.models.find((one) => one.model === 'a'),
    { state: 'ready', waiting: 1, placements: [{ inFlight: 1, slots: 1, pid: Number, memoryBytes: 123_456 }] },
  )
  agent.forwards[0]?.handler.onEnd([])
  await running
  await until('the other is served', () => agent.forwards.length === 2)
  answerJson({})(agent.forwards[1] as FakeForward)
  await answer
  const last = await feed.shows('that both ended', ({ ended }) => ended.length === 2)
  t.match(last.ended, [
    { id, outcome: 'done', host: 'local', failure: null },
    { outcome: 'done', model: 'a' },
  ])
  t.same([last.waiting, last.running], [[], []])
  feed.close()
})

t.test('what it shows is what ps, queue, the list and the metrics show', async (t) => {
  const { port, agent } = await startRig(t, {
    models: [model('a', { concurrencyLimit: 1, idleMs: 60_000 }), model('b')],
  })
  const first = ask(port, { body: '{"model":"a"}' })
  await until('a serves', () => agent.forwards.length === 1)
  const others = await Promise.all([waits(port, 'a'), waits(port, 'b', { 'X-Lswap-Priority': '-1' })])
  const feed = await readFeed(port)
  const { models, waiting, queue } = await feed.shows('both', (state) => state.waiting.length === 2)
  const json = async (path: string): Promise<unknown> => JSON.parse((await ask(port, { path })).text) as unknown
  t.match(await json('/api/queue'), {
    total: queue.total,
    waiting: waiting.map(({ id, position }) => ({ id, position })),
  })
  const rows = models.flatMap(({ model: name, placements, ...shared }) =>
    placements.map(({ state, pid, inFlight }) => ({ model: name, state, pid, inFlight, waiting: shared.waiting })),
  )
  t.match(await json('/running'), { running: rows })
  t.match(await json('/v1/models'), {
    data: models.map(({ model: id, state, waiting: count }) => ({ id, meta: { lswap: { state, queue: count } } })),
  })
  const metrics = (await ask(port, { path: '/metrics' })).text
  for (const { band, depth } of queue.bands) t.match(metrics, `lswap_queue_depth{band="${band}"} ${depth}`)
  feed.close()
  answerJson({})(agent.forwards[0] as FakeForward)
  await first
  await until('the second is served', () => agent.forwards.length === 2)
  answerJson({})(agent.forwards[1] as FakeForward)
  await until('the third is served', () => agent.forwards.length === 3)
  answerJson({})(agent.forwards[2] as FakeForward)
  await Promise.all(others.map(({ answer }) => answer))
})

t.test('Last-Event-ID goes on without a snapshot; an id of another life gets one', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({}) })
  const before = await readFeed(port)
  await before.shows('the start', (state) => stateOf(state, 'a') === 'stopped')
  const lastId = before.lastId()
  before.close()
  await ask(port, { body: '{"model":"a"}' })
  const later = await readFeed(port, { 'Last-Event-ID': lastId })
  await until('it tells what it missed', () => later.events.some(({ type }) => type === 'models-changed'))
  t.ok(later.events.every(({ type }) => type !== 'snapshot'))
  const foreign = await readFeed(port, { 'Last-Event-ID': `x${lastId}` })
  await foreign.shows('a', (state) => stateOf(state, 'a') === 'ready')
  t.equal(foreign.events[0]?.type, 'snapshot')
  later.close()
  foreign.close()
})

t.test('warnings become notices', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const feed = await readFeed(port)
  await ask(port, { body: '{"model":"a"}' })
  agent.crash(agent.swaps[0]?.model as never)
  const { notices } = await feed.shows('the crash', (state) => state.notices.length > 0)
  t.match(notices[0], { level: 'warn', model: 'a', host: 'local', text: /ended on its own: The engine crashed/ })
  feed.close()
})

t.test('it needs the scope read, and a key that reaches some models sees those alone', async (t) => {
  const keys = [key('reader', { scopes: ['read'], models: ['a' as never] }), key('user', { scopes: ['infer'] })]
  const { port } = await startRig(t, { config: { access: access({ keys }) }, answer: answerJson({}) })
  t.equal((await ask(port, { path: '/api/events' })).status, 401)
  const refused = await ask(port, { path: '/api/events', headers: bearer('user') })
  t.match([refused.status, errorOf(refused).message], [403, /needs the scope read/])
  const feed = await readFeed(port, bearer('reader'))
  await feed.shows('a snapshot', () => true)
  for (const name of ['b', 'a']) await ask(port, { body: `{"model":"${name}"}`, headers: bearer('user') })
  await feed.shows('the request for a', ({ ended }) => ended.length > 0)
  t.notMatch(JSON.stringify(feed.events), /"model":"b"/)
  feed.close()
})

t.test('a shutdown tells its readers and ends the feed before anything else', async (t) => {
  const { port, router } = await startRig(t)
  const feed = await readFeed(port)
  await feed.shows('a snapshot', () => true)
  await router.close()
  await until('it is over', () => feed.isEnded())
  t.equal(feed.state().router.isClosing, true)
})

t.test('HEAD answers without a stream', async (t) => {
  const { port } = await startRig(t)
  t.match(await ask(port, { method: 'HEAD', path: '/api/events' }), { status: 200, text: '' })
})

t.test('tokens of answers that ended are told by the second, of all and of each model', async (t) => {
  const { port } = await startRig(t, { answer: answerJson({ usage: { prompt_tokens: 5, completion_tokens: 600 } }) })
  const feed = await readFeed(port)
  await ask(port, { body: '{"model":"a"}' })
  await feed.shows('tokens of the last minute', ({ rates }) => rates.tokensPerSecond === 10)
  const { models } = feed.state()
  t.same(
    models.map(({ model: id, tokensPerSecond }) => [id, tokensPerSecond]),
    [
      ['a', 10],
      ['b', 0],
    ],
  )
})
