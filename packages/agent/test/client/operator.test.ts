import t from 'tap'
import { createOperator, type Operator } from '../../src/client/operator.ts'
import { A, B, hostDouble, NO_TIME, remoteOf, serverOf, TOKEN, until } from './support/host.ts'
import type { Test } from 'tap'

const SOON = new AbortController().signal

const operatorOf = (t: Test, url: string): Operator => {
  const operator = createOperator({ url, token: TOKEN })
  t.teardown(() => operator.close())
  return operator
}

t.test('whoever only looks takes the host from nobody, and sees whether a router uses it', async (t) => {
  const running = await serverOf(t, await hostDouble(t), { term: 3 })
  const operator = operatorOf(t, running.url)
  t.equal((await operator.look(SOON)).isInUse, false)
  t.same((await operator.about(SOON)).models, [A, B])
  t.equal(running.server.terms.highest(), 3)
  const { remote, events } = remoteOf(t, running.url)
  await remote.tried
  t.equal((await operator.look(SOON)).isInUse, true)
  t.equal(running.server.terms.highest(), 4)
  t.equal(remote.failure(), undefined)
  t.notOk(events.some(({ type }) => type === 'host-lost'))
})

t.test('what somebody orders is refused while a router uses the host, unless it is forced', async (t) => {
  const double = await hostDouble(t)
  const running = await serverOf(t, double)
  const operator = operatorOf(t, running.url)
  const { remote, events } = remoteOf(t, running.url)
  await until('the router is there', () => events.some(({ type }) => type === 'host-returned'))
  await t.rejects(operator.stop({ model: A, drainMs: 5, force: false }), { code: 'fenced' })
  await t.rejects(
    operator.load({ model: A, evict: [], force: false }, () => {}),
    { code: 'fenced' },
  )
  t.same(double.asked.stops, [])
  t.equal(double.asked.swapCount, 0)
  events.length = 0
  await operator.stop({ model: A, drainMs: 5, force: true })
  t.match(double.asked.stops, [{ models: [A], drainMs: 5 }])
  // It must not send anything to what is gone
  await until('the router is told', () => events.some(({ type }) => type === 'host-returned'))
  t.equal(remote.failure(), undefined, 'the router keeps its host')
})

t.test('a load goes on when nobody waits for it any more, and its end is told to a router that came', async (t) => {
  const double = await hostDouble(t)
  const running = await serverOf(t, double)
  const operator = operatorOf(t, running.url)
  const over = operator.load({ model: A, evict: [B], force: false }, () => {})
  await until('it began', () => double.asked.swaps.get(A))
  operator.close()
  await t.rejects(over)
  t.same(double.asked.aborted, [])
  t.match(double.asked.swaps.get(A), { evict: [B] })
})

t.test('steps and the end of a load are told, and so is why it failed', async (t) => {
  const double = await hostDouble(t)
  const operator = operatorOf(t, (await serverOf(t, double)).url)
  const lines: string[] = []
  const over = operator.load({ model: A, evict: [], force: false }, ({ type }) => lines.push(type))
  const swap = await until('it began', () => double.asked.swaps.get(A))
  swap.progress({ type: 'spawned', pid: 7 })
  const failure = { code: 'start_failed', message: 'no such file' } as const
  swap.end({ outcome: 'failed', failure, evictions: [], timings: NO_TIME })
  await t.rejects(over, failure)
  t.same(lines, ['spawned', 'failed'])
})

t.test('a router that takes the host over ends what a hand began to load', async (t) => {
  const double = await hostDouble(t)
  const running = await serverOf(t, double)
  const over = operatorOf(t, running.url).load({ model: A, evict: [], force: false }, () => {})
  over.catch(() => {})
  await until('it began', () => double.asked.swaps.get(A))
  remoteOf(t, running.url)
  await t.rejects(over, { code: 'cancelled' })
})

t.test('a wrong token is said to be one', async (t) => {
  const running = await serverOf(t, await hostDouble(t))
  const operator = createOperator({ url: running.url, token: 'another-token-0123456789' })
  t.teardown(() => operator.close())
  await t.rejects(operator.look(SOON), { code: 'unauthorized' })
})
