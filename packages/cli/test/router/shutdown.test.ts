import { createScheduler, epoch, hostId, modelId, schedulerOptions } from '@lswap/core'
import { atEnd } from '@lswap/core/test-support'
import t from 'tap'
import { createNotices } from '../../src/router/feed/notices.ts'
import { createRouter } from '../../src/router/router.ts'
import { answerJson, eventStream, head } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { config, model } from './support/config.ts'
import { createFakeAgent, type FakeForward } from './support/fake-agent.ts'
import { recordingLog } from './support/log.ts'
import { chat, chatHead, rawClient } from './support/raw-client.ts'
import { startRig } from './support/rig.ts'
import { createVirtualClock } from './support/virtual-clock.ts'

const CHAT = '{"model":"a"}'

t.test(
  'close lets running requests end, rejects those that wait, takes nothing new, then stops the agents',
  async (t) => {
    const { port, agent, router } = await startRig(t)
    const idle = await rawClient(port)
    idle.send('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await idle.has('OK')
    const running = ask(port, { body: CHAT })
    await until('one runs', () => agent.forwards.length === 1)
    const waiting = ask(port, { body: '{"model":"b"}' })
    // Its body comes when the router drains already
    const late = await rawClient(port)
    late.send(chatHead('Content-Length: 13\r\nExpect: 100-continue'))
    await late.has('100 Continue')
    const closed = router.close()
    t.equal(router.close(), closed, 'once')
    const told = await waiting
    t.match([told.status, errorOf(told).code], [503, 'shutting_down'])
    late.send(CHAT)
    await late.has('shutting_down')
    await idle.ended()
    await t.rejects(ask(port, { path: '/health' }), { code: 'ECONNREFUSED' })
    t.same(agent.ends, [], 'the agent still serves')
    answerJson({ ok: true })(agent.forwards[0] as FakeForward)
    t.match(await running, { status: 200, text: '{"ok":true}' })
    await closed
    t.same(agent.ends, ['close'])
  },
)

t.test('of pipelined requests that run only the last answer ends the connection', async (t) => {
  const { port, agent, router } = await startRig(t)
  const client = await rawClient(port)
  client.send(chat(CHAT) + chat(CHAT))
  await until('both run', () => agent.forwards.length === 2)
  const closed = router.close()
  for (const forward of agent.forwards) answerJson({ ok: true })(forward)
  await client.ended()
  t.match(client.text().match(/(?<=\r\nConnection: )\S+/g), ['keep-alive', 'close'])
  await closed
})

t.test('what still runs when its time is over is cut, so that the client notices', async (t) => {
  const { port, agent, router, log } = await startRig(t, {
    limits: { shutdownDrainMs: 30 },
    answer: ({ handler }) => handler.onHead(agent.forwards.length === 1 ? eventStream : head()),
  })
  const stream = await rawClient(port)
  stream.send(chat(CHAT))
  await stream.has('\r\n\r\n')
  const plain = await rawClient(port)
  plain.send(chat(CHAT))
  await plain.has('\r\n\r\n')
  await router.close()
  t.match(stream.text(), /event: error\ndata: \{"error":\{"message":"lswap is shutting down\."/)
  t.equal(await plain.ended(), 'reset')
  t.ok(agent.forwards.every(({ aborted }) => aborted))
  t.same(agent.ends, ['close'])
  t.same(log.bugs(), [])
})

t.test('an agent that does not close in its time is destroyed', async (t) => {
  const { agent, router } = await startRig(t, {
    models: [],
    limits: { agentsSlackMs: 20 },
    agent: (fake) => ({ ...fake, close: () => new Promise(() => {}) }),
  })
  await router.close()
  t.same(agent.ends, ['destroy'])
})

t.test('destroy cuts everything now, also in the middle of a close', async (t) => {
  const { port, agent, router } = await startRig(t)
  const client = await rawClient(port)
  client.send(chat(CHAT))
  await until('it runs', () => agent.forwards.length === 1)
  const closed = router.close()
  const destroyed = router.destroy()
  t.equal(router.destroy(), destroyed, 'once')
  await destroyed
  await client.ended()
  t.equal(agent.forwards[0]?.aborted, true)
  await closed
  t.same(agent.ends.toSorted(), ['close', 'destroy'])
})

t.test('a host that has not left yet when the router ends is not waited for', async (t) => {
  const clock = createVirtualClock()
  const far = hostId('far')
  const stopping = createFakeAgent({ host: far, stop: () => new Promise(() => {}) })
  stopping.running.set(modelId('a'), epoch(1))
  const limits = { ...config([]).limits, drainTimeoutMs: 'never' } as const
  const first = config([model('a', { hosts: [far] })], { limits, agents: [{ id: far, url: 'http://far', token: 'x' }] })
  const router = createRouter({
    config: first,
    agents: new Map([[far, stopping]]),
    scheduler: createScheduler(schedulerOptions(first)),
    clock,
    notices: createNotices(recordingLog(), clock, (text) => text),
    version: '0',
    commit: '0',
    readConfig: async () => ({ ok: true, config: config([model('b')], { limits }), warnings: [] }),
  })
  atEnd(t, () => router.destroy())
  await router.listen({ host: '127.0.0.1', port: 0 })
  t.match(await router.reload('SIGHUP'), { ok: true })
  const closed = router.close()
  await clock.advance(60_000)
  await closed
  t.equal(clock.pending(), 0)
})
