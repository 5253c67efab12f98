import t from 'tap'
import { readHeaders } from '../../src/router/request-headers.ts'
import { createWaitLimit } from '../../src/router/wait-limit.ts'
import { PULSE, payload, startEarlyRig, type EarlyRig } from './early/support.ts'
import { answerJson } from './support/answers.ts'
import { ask, until } from './support/ask.ts'
import { model } from './support/config.ts'
import { createVirtualClock } from './support/virtual-clock.ts'
import { queuePage } from './support/waiting.ts'

const plain = [model('a'), model('b')]
const maxWait = (seconds: number | string): string => `X-Lswap-Max-Wait: ${seconds}\r\n`
const swapsOf = ({ agent }: EarlyRig) => agent.swaps.map((swap) => swap.model)

t.test('a client that waits no longer is told when to come back, and finds the model ready then', async (t) => {
  const rig = await startEarlyRig(t, { models: plain })
  const client = await rig.send({ body: { model: 'a' }, headers: maxWait(30) })
  await rig.waiting(1)
  await rig.clock.advance(29_999)
  t.equal(client.text(), '')
  await rig.clock.advance(1)
  await client.has('HTTP/1.1 503')
  await client.has('"wait_exceeded"')
  t.match(client.text(), /\r\nRetry-After: 5\r\n/, 'nothing was measured yet')
  t.match(client.text(), /a did not come to this request within 30 s/)
  const [ended] = JSON.parse((await ask(rig.port, { path: '/api/requests' })).text).requests.slice(-1)
  t.match(ended, { id: 1, state: 'rejected' })
  t.equal((await queuePage(rig.port)).total, 1, 'the load takes its place')
  rig.endLoad()
  const again = await rig.send({ body: { model: 'a' }, headers: maxWait(30) })
  answerJson({})(await rig.served(1))
  await again.has('200 OK')
  t.same(swapsOf(rig), ['a'])
  await rig.clock.advance(40_000)
  t.equal(rig.clock.pending(), PULSE)
  t.same(rig.log.bugs(), [])
})

t.test('Retry-After is what is left by what was measured', async (t) => {
  const timings = { stopMs: 0, memoryMs: 0, loadMs: 80_000 }
  const rig = await startEarlyRig(t, {
    models: plain,
    agent: (fake) => ({ ...fake, swap: async (order) => ({ ...(await fake.swap(order)), timings }) }),
  })
  for (const [place, name] of ['a', 'b'].entries()) {
    await rig.send({ body: { model: name } })
    await rig.waiting(1)
    rig.endLoad()
    answerJson({})(await rig.served(place + 1))
  }
  const client = await rig.send({ body: { model: 'a' }, headers: maxWait(30) })
  await rig.waiting(1)
  await rig.clock.advance(30_000)
  await client.has('wait_exceeded')
  t.match(client.text(), /\r\nRetry-After: 50\r\n/)
  t.match(client.text(), /may take 50 s more/)
})

t.test('who waits for no load at all is answered at once, and it is begun', async (t) => {
  const rig = await startEarlyRig(t, { models: plain })
  const client = await rig.send({ body: { model: 'a' }, headers: maxWait(0) })
  await until('it waits', () => swapsOf(rig).length === 1)
  await rig.clock.advance(0)
  await client.has('wait_exceeded')
  rig.endLoad()
  const again = await rig.send({ body: { model: 'a' }, headers: maxWait(0) })
  answerJson({})(await rig.served(1))
  await again.has('200 OK')
  t.same(swapsOf(rig), ['a'])
})

t.test('a load that had not begun is begun for the one who comes back; many leave one', async (t) => {
  const rig = await startEarlyRig(t, { models: plain })
  const first = await rig.send({ body: { model: 'a' } })
  await rig.waiting(1)
  rig.endLoad()
  const forward = await rig.served(1)
  const impatient = []
  for (const count of [1, 2, 3]) {
    impatient.push(await rig.send({ body: { model: 'b' }, headers: maxWait(10) }))
    await rig.waiting(count)
  }
  await rig.clock.advance(10_000)
  for (const client of impatient) await client.has('wait_exceeded')
  t.equal((await queuePage(rig.port)).total, 1)
  answerJson({})(forward)
  await first.has('200 OK')
  await until('b loads', () => swapsOf(rig).length === 2)
  rig.endLoad()
  const again = await rig.send({ body: { model: 'b' }, headers: maxWait(10) })
  answerJson({})(await rig.served(2))
  await again.has('200 OK')
  t.same(swapsOf(rig), ['a', 'b'])
  t.equal((await queuePage(rig.port)).total, 0)
})

t.test('nothing is left behind by who waits for a slot of a model that is there', async (t) => {
  const rig = await startEarlyRig(t, { models: [model('a', { concurrencyLimit: 1 }), model('b')] })
  await rig.send({ body: { model: 'a' } })
  await rig.waiting(1)
  rig.endLoad()
  await rig.served(1)
  const client = await rig.send({ body: { model: 'a' }, headers: maxWait(10) })
  await rig.waiting(1)
  await rig.clock.advance(10_000)
  await client.has('wait_exceeded')
  t.equal((await queuePage(rig.port)).total, 0)
})

t.test('the file has a limit for those who hear nothing; the header counts for all, and says more', async (t) => {
  const rig = await startEarlyRig(t, { models: [model('a', { maxWaitMs: 5_000 })] })
  const quiet = await rig.send({ body: { model: 'a' } })
  const longer = await rig.send({ body: { model: 'a' }, headers: maxWait(7.5) })
  const told = await rig.send({ body: { model: 'a', stream: true }, headers: 'X-Lswap-Early: 1\r\n' })
  const both = await rig.send({ body: { model: 'a', stream: true }, headers: `X-Lswap-Early: 1\r\n${maxWait(8)}` })
  await rig.waiting(4)
  await rig.clock.advance(5_000)
  await quiet.has('wait_exceeded')
  await rig.clock.advance(2_499)
  t.equal(longer.text(), '')
  await rig.clock.advance(1)
  await longer.has('wait_exceeded')
  await rig.clock.advance(500)
  await both.has('wait_exceeded')
  t.match(payload(both), /^: lswap: loading a.*event: error\n/s)
  t.notMatch(told.text(), 'wait_exceeded')
})

t.test('the time does not begin anew when a request waits again, and what runs is not cut', async (t) => {
  const clock = createVirtualClock()
  let exceeded = 0
  const limit = createWaitLimit({ limitMs: 10_000, clock, exceeded: () => (exceeded += 1) })
  limit.waits()
  await clock.advance(6_000)
  limit.waits()
  await clock.advance(3_999)
  t.equal(exceeded, 0)
  await clock.advance(1)
  t.equal(exceeded, 1)
  t.equal(clock.pending(), 0)
  const rig = await startEarlyRig(t, { models: plain })
  const client = await rig.send({ body: { model: 'a' }, headers: maxWait(10) })
  await rig.waiting(1)
  rig.endLoad()
  const forward = await rig.served(1)
  await rig.clock.advance(20_000)
  t.equal(client.text(), '')
  answerJson({})(forward)
  await client.has('200 OK')
})

t.test('the header is seconds, with parts of one if need be', async (t) => {
  const limit = { name: 'maxBodyBytes', bytes: 1 } as const
  const read = (text: string): unknown => {
    const reading = readHeaders({ 'x-lswap-max-wait': text }, limit)
    return reading.ok ? reading.asked.maxWaitMs : reading.failure.code
  }
  t.equal(read('30'), 30_000)
  t.equal(read('0'), 0)
  t.equal(read('2.5'), 2_500)
  for (const bad of ['', '-1', 'soon', '1e3', '30s', '1234567890']) t.equal(read(bad), 'invalid_request', bad)
})
