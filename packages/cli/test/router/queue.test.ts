import t from 'tap'
import { answerJson } from './support/answers.ts'
import { ask, errorOf, until } from './support/ask.ts'
import { model } from './support/config.ts'
import type { FakeForward } from './support/fake-agent.ts'
import { startRig } from './support/rig.ts'
import { queuePage, waits } from './support/waiting.ts'

t.test('the queue tells hosts, placements, who waits in which order, and why', async (t) => {
  const { port, agent } = await startRig(t, { models: [model('a', { concurrencyLimit: 1 }), model('b')] })
  const served = ask(port, { body: '{"model":"a"}' })
  await until('a serves', () => agent.forwards.length === 1)
  const batch = await waits(port, 'b', { 'X-Lswap-Priority': '-5' })
  const urgent = await waits(port, 'b', { 'X-LlamaSwap-Priority': '+7', 'X-Lswap-Criticality': 'standard' })
  const page = await queuePage(port)
  t.match(page, {
    hosts: [{ host: 'local', up: true, placements: [{ model: 'a', state: 'ready', inFlight: 1, pinned: false }] }],
    total: 2,
    waiting: [
      {
        id: urgent.id,
        position: 1,
        model: 'b',
        band: 'urgent',
        priority: 7,
        criticality: 'standard',
        waitedMs: Number,
        estimate: null,
        unmeasured: [{ measure: 'service', model: 'a' }, { measure: 'stop' }, { measure: 'load', model: 'b' }],
        cause: { type: 'draining', models: [{ model: 'a', host: 'local' }] },
        why: /^draining a: 1 request still runs, cut in (600|599) s at the latest$/,
      },
      { id: batch.id, position: 2, band: 'batch', priority: -5, criticality: 'sheddable' },
    ],
    stats: {
      bands: { urgent: { depth: 1 }, normal: { depth: 0, dispatched: 1 }, batch: { depth: 1 } },
      agingReorders: 0,
      affinityReorders: 0,
    },
  })
  t.match(await queuePage(port, '?limit=1'), { total: 2, waiting: [{ id: urgent.id }] })
  t.equal((await queuePage(port, '?limit=1')).waiting.length, 1)
  answerJson({})(agent.forwards[0] as FakeForward)
  await served
  for (const [at, { id, answer }] of [urgent, batch].entries()) {
    await until('the next is served', () => agent.forwards.length >= at + 2)
    answerJson({})(agent.forwards[at + 1] as FakeForward)
    t.equal((await answer).headers['x-lswap-request-id'], String(id), 'the urgent one first')
  }
  t.match(await queuePage(port), { total: 0, waiting: [] })
})

t.test('a limit that is none is refused', async (t) => {
  const { port } = await startRig(t)
  for (const path of ['/api/queue?limit=-1', '/api/queue?limit=x', '/api/requests?limit=']) {
    const told = await ask(port, { path })
    t.match([told.status, errorOf(told).code], [400, 'invalid_request'], path)
  }
})

t.test('nonsense in the headers is refused before anything waits', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const cases = [
    [{ 'X-LlamaSwap-Priority': 'high' }, 'invalid_priority'],
    [{ 'X-Lswap-Priority': '' }, 'invalid_priority'],
    [{ 'X-Lswap-Criticality': 'vital' }, 'invalid_request'],
  ] as const
  for (const [headers, code] of cases) {
    const told = await ask(port, { body: '{"model":"a"}', headers })
    t.match([told.status, errorOf(told).code], [400, code])
  }
  t.same(agent.swaps, [])
  t.equal((await ask(port, { body: '{"model":"a"}', headers: { 'X-Lswap-Criticality': 'Critical' } })).status, 200)
})

t.test('a request that forbids loading starts no swap', async (t) => {
  const { port, agent } = await startRig(t, { answer: answerJson({}) })
  const headers = { 'X-Lswap-No-Load': '1' }
  const told = await ask(port, { body: '{"model":"a"}', headers })
  t.match([told.status, errorOf(told).code, told.headers['x-should-retry']], [409, 'model_not_loaded', 'false'])
  t.same(agent.swaps, [])
  await ask(port, { method: 'POST', path: '/api/models/load/a' })
  t.equal((await ask(port, { body: '{"model":"a"}', headers })).status, 200)
})

t.test('criticality: what was asked for, else the model’s own, else by priority', async (t) => {
  const models = [model('a', { concurrencyLimit: 1 }), model('own', { criticality: 'standard' }), model('plain')]
  const { port, agent } = await startRig(t, { models })
  const served = ask(port, { body: '{"model":"a"}' })
  await until('a serves', () => agent.forwards.length === 1)
  const asked = [
    await waits(port, 'own', { 'X-Lswap-Criticality': 'sheddable' }),
    await waits(port, 'own'),
    await waits(port, 'plain'),
    await waits(port, 'plain', { 'X-Lswap-Priority': '-1' }),
  ]
  const seen: unknown[] = []
  for (const { id } of asked) {
    const told = await ask(port, { path: `/api/requests/${id}` })
    seen.push((JSON.parse(told.text) as { criticality: unknown }).criticality)
  }
  t.same(seen, ['sheddable', 'standard', 'critical', 'sheddable'])
  answerJson({})(agent.forwards[0] as FakeForward)
  await served
  for (const { id, answer } of asked) {
    await ask(port, { method: 'POST', path: `/api/requests/${id}/cancel` })
    await answer
  }
})
