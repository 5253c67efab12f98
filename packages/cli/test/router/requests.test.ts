import t from 'tap'
import { answerJson, head } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { startRig } from './support/rig.ts'
import { queuePage, waits } from './support/waiting.ts'

interface Explained {
  readonly state: string
  readonly durationMs: number
  readonly receivedAt: number
  readonly spans: readonly { readonly type: string; readonly from: number; readonly to: number; readonly ms: number }[]
}

const explained = async (port: number, id: number): Promise<Explained> =>
  JSON.parse((await ask(port, { path: `/api/requests/${id}` })).text) as Explained

const sum = ({ spans }: Explained): number => spans.reduce((total, { ms }) => total + ms, 0)

t.test('a request is explained while it waits, while it runs, and when it is over', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 1 }), model('b')] })
  const first = ask(port, { body: '{"model":"a"}' })
  await until('a serves', () => agent.forwards.length === 1)
  const { id, answer } = await waits(port, 'b')
  const waiting = await explained(port, id)
  t.match(waiting, {
    id,
    model: 'b',
    state: 'waiting',
    host: null,
    error: null,
    spans: [{ type: 'waiting', text: 'draining a', cause: { type: 'draining' } }],
    waiting: { id, position: 1, why: /^draining a: 1 request still runs/ },
  })
  t.ok(Math.abs(sum(waiting) - waiting.durationMs) < 0.001)

  answerJson({})(agent.forwards[0] as FakeForward)
  await first
  await until('b serves', () => agent.forwards.length === 2)
  t.match(await explained(port, id), { state: 'running', host: 'local', waiting: null })
  t.equal((await explained(port, id)).spans.at(-1)?.type, 'engine')
  const forward = agent.forwards[1] as FakeForward
  forward.handler.onHead(head())
  t.equal((await explained(port, id)).spans.at(-1)?.type, 'answer', 'the first byte is told while it still runs')
  forward.handler.onData(Buffer.from('{}'))
  forward.handler.onEnd([])
  await answer

  const over = await explained(port, id)
  t.match(over, { state: 'done', host: 'local', waiting: null, error: null, picked: null })
  t.same(
    over.spans.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]),
    ['waiting', 'swap', 'engine', 'answer'].filter((type) => over.spans.some((span) => span.type === type)),
  )
  for (const [at, span] of over.spans.entries()) t.equal(span.from, over.spans[at - 1]?.to ?? over.receivedAt)
  t.ok(Math.abs(sum(over) - over.durationMs) < 0.001, 'its spans add up to its life')
})

t.test('the list has who waits and runs, then who ended, the latest first', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 1 })] })
  const told: number[] = []
  for (let count = 0; count < 2; count += 1) {
    const asked = ask(port, { body: '{"model":"a"}' })
    await until('it is served', () => agent.forwards.length === count + 1)
    answerJson({})(agent.forwards[count] as FakeForward)
    told.unshift(Number((await asked).headers['x-lswap-request-id']))
  }
  const running = ask(port, { body: '{"model":"a"}' })
  await until('it is served', () => agent.forwards.length === 3)
  const { id, answer } = await waits(port, 'a')
  const list = JSON.parse((await ask(port, { path: '/api/requests' })).text) as {
    total: number
    requests: { id: number; state: string }[]
  }
  t.equal(list.total, 4)
  t.same(
    list.requests.map((request) => request.state),
    ['running', 'waiting', 'done', 'done'],
  )
  t.same(
    list.requests.slice(1).map((request) => request.id),
    [id, ...told],
  )
  t.match(JSON.parse((await ask(port, { path: '/api/requests?limit=1' })).text), { total: 4, requests: [Object] })
  answerJson({})(agent.forwards[2] as FakeForward)
  await running
  await until('the last is served', () => agent.forwards.length === 4)
  answerJson({})(agent.forwards[3] as FakeForward)
  await answer
})

t.test('a request that nobody knows is an error', async (t) => {
  const { port } = await startRig(t)
  for (const [method, path] of [
    ['GET', '/api/requests/999'],
    ['POST', '/api/requests/999/cancel'],
    ['GET', '/api/requests/abc'],
  ] as const) {
    const told = await ask(port, { method, path })
    t.match([told.status, errorOf(told).code], [404, 'not_found'], path)
  }
  t.match(errorOf(await ask(port, { path: '/api/requests/999' })).message, /No request 999 is known/)
  t.match((await ask(port, { path: '/api/requests/1/cancel' })).headers.allow, 'POST')
})

t.test('a cancelled request leaves the queue, or the engine, and its client is told', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 1 })] })
  const running = ask(port, { body: '{"model":"a"}' })
  await until('it is served', () => agent.forwards.length === 1)
  const { id, answer } = await waits(port, 'a')
  const cancel = async (request: number): Promise<unknown> =>
    JSON.parse((await ask(port, { method: 'POST', path: `/api/requests/${request}/cancel` })).text)
  t.match(await cancel(id), { msg: 'ok', id, state: 'cancelled' })
  const told = await answer
  t.match([told.status, errorOf(told).code], [499, 'cancelled'])
  t.match(await queuePage(port), { total: 0 })
  const [live] = (JSON.parse((await ask(port, { path: '/api/requests' })).text) as { requests: { id: number }[] })
    .requests
  t.match(await cancel(live?.id ?? 0), { state: 'done' })
  t.equal((await running).status, 499)
  t.ok(agent.forwards[0]?.aborted, 'the engine is told')
  t.match(await cancel(id), { msg: 'ok', state: 'cancelled' }, 'once more changes nothing')
})

t.test('a load is a request too, and can be cancelled whether somebody waits for it or not', async (t) => {
  const { port } = await startRig(t, { load: () => new Promise(() => {}) })
  await ask(port, { method: 'POST', path: '/api/models/load/a?wait=false' })
  const load = ask(port, { method: 'POST', path: '/api/models/load/a' })
  let page = await queuePage(port)
  while (page.total < 2) page = await queuePage(port)
  for (const { id } of page.waiting) await ask(port, { method: 'POST', path: `/api/requests/${id}/cancel` })
  t.equal((await load).status, 499)
  t.match(await queuePage(port), { total: 0 })
})
