import t from 'tap'
import { answerJson } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { readFeed } from './support/feed-reader.ts'
import { startRig } from './support/rig.ts'

t.test('what goes on to an engine is activity, from its arrival to its end', async (t) => {
  const { port, agent, router } = await startRig(t)
  t.same(router.activity(), { isBusy: false, count: 0 })
  const answer = ask(port, { body: '{"model":"a"}' })
  await until('it runs', () => agent.forwards.length === 1)
  t.same(router.activity(), { isBusy: true, count: 0 })
  agent.forwards.forEach(answerJson({}))
  await answer
  await until('it ended', () => !router.activity().isBusy)
  t.same(router.activity(), { isBusy: false, count: 1 })
})

t.test('a request that waits for its model is activity', async (t) => {
  const { port, agent, router } = await startRig(t)
  void ask(port, { body: '{"model":"a"}' }).catch(() => {})
  await until('the one runs', () => agent.forwards.length === 1)
  const other = ask(port, { body: '{"model":"b"}' })
  agent.forwards.forEach(answerJson({}))
  await until('the other one waits or runs', () => router.activity().count === 1 && router.activity().isBusy)
  await until('it runs', () => agent.forwards.length === 2)
  agent.forwards.slice(1).forEach(answerJson({}))
  await other
  await until('both ended', () => !router.activity().isBusy)
  t.equal(router.activity().count, 2)
})

t.test('dashboards, probes and scrapes are none', async (t) => {
  const { port, router } = await startRig(t)
  const feed = await readFeed(port)
  await feed.shows('something', () => true)
  for (const path of ['/health', '/metrics', '/v1/models', '/running']) await ask(port, { path })
  t.same(router.activity(), { isBusy: false, count: 0 })
  feed.close()
})
