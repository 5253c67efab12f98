import t from 'tap'
import { callerId } from '../../../src/index.ts'
import { model, type Rig } from '../rig.ts'
import { rigOf } from './fixtures.ts'

const k1 = { caller: callerId('k1') }
const k2 = { caller: callerId('k2') }

/** A is loaded and has served one in that time. */
const measured = (serviceMs: number, more: Parameters<typeof rigOf>[1] = {}): Rig => {
  const rig = rigOf(['A', 'B'], more)
  rig.ask('A')
  rig.ready(1)
  rig.now = serviceMs
  rig.served(1)
  return rig
}

const inLine = (rig: Rig, requests: readonly number[]): number[] =>
  requests.toSorted((a, b) => (rig.position(a) ?? 0) - (rig.position(b) ?? 0))

t.test('500 requests of one caller do not stand before the one of another: it waits for one at most', async (t) => {
  const rig = measured(2_000)
  for (let at = 0; at < 500; at += 1) rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  const [first] = rig.commands.slice(-1)
  t.same(first, { type: 'grant', request: 2, placement: { model: 'A', host: 'local' }, epoch: 1 })
  rig.now += 1_900
  t.same(rig.served(2), ['grant 502 A'])
})

t.test('it is so too while nothing was measured', async (t) => {
  const rig = rigOf(['A'])
  rig.ask('A', k1)
  for (let at = 0; at < 500; at += 1) rig.ask('A', k1)
  rig.now = 100
  rig.ask('A', k2)
  rig.ready(1)
  t.same(rig.served(1), ['grant 502 A'])
})

t.test("a caller's requests are spaced by the median service time", async (t) => {
  const rig = measured(2_000)
  rig.ask('A')
  rig.ask('A', k1)
  rig.ask('A', k1)
  rig.ask('A', k1)
  rig.now += 2_001
  rig.ask('A', k2)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [3, 4, 5, 6, 7]), [3, 4, 6, 5, 7])
})

t.test('anonymous requests are not spaced', async (t) => {
  const rig = measured(2_000)
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [3, 4, 5]), [3, 4, 5])
})

t.test('without fairShare requests are served as they arrived', async (t) => {
  const rig = measured(2_000, { fairShare: false })
  rig.ask('A')
  rig.ask('A', k1)
  rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [3, 4, 5]), [3, 4, 5])
})

t.test('with agingSeconds 0 callers share all the same', async (t) => {
  const rig = measured(2_000, { agingSeconds: 0 })
  rig.ask('A')
  rig.ask('A', k1)
  rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [3, 4, 5]), [3, 5, 4])
  t.same(rig.served(2), ['grant 3 A'])
  t.same(rig.served(3), ['grant 5 A'])
})

t.test('callers share each model by itself', async (t) => {
  const rig = measured(60_000)
  rig.ask('A')
  rig.ask('A', k1)
  rig.ask('A', k1)
  rig.ask('B', k1)
  rig.now += 100
  rig.ask('B', k2)
  t.same(inLine(rig, [5, 6]), [5, 6], 'what k1 asked of A is no matter to B')
})

t.test('a caller that has nothing left with a model starts anew', async (t) => {
  const rig = measured(60_000)
  rig.ask('A')
  for (const request of [3, 4, 5]) {
    rig.ask('A', k1)
    t.equal(rig.upcoming, request + 1)
  }
  for (const request of [3, 4, 5]) rig.cancel(request)
  rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [6, 7]), [6, 7])
})

t.test('a caller whose request is served has not left', async (t) => {
  const rig = measured(60_000)
  t.same(rig.ask('A', k1), ['grant 2 A'])
  rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [3, 4]), [4, 3])
})

t.test('nor has one whose request waited before it was served', async (t) => {
  const rig = measured(60_000)
  rig.ask('A')
  rig.ask('A', k1)
  t.same(rig.served(2), ['grant 3 A'])
  rig.ask('A', k1)
  rig.now += 100
  rig.ask('A', k2)
  t.same(inLine(rig, [4, 5]), [5, 4])
})

t.test('one that is tried again keeps its place', async (t) => {
  const rig = rigOf([], {}, { models: [model('A', { concurrencyLimit: 2 })] })
  rig.ask('A', k1)
  rig.ready(1)
  rig.ask('A')
  rig.ask('A', k1)
  rig.now = 100
  rig.ask('A', k2)
  t.same(rig.served(1, 'retry'), ['grant 1 A'])
  t.same(inLine(rig, [3, 4]), [4, 3])
})

t.test('a caller that asks now and then is not ahead of its time', async (t) => {
  const rig = measured(2_000)
  rig.ask('A')
  rig.ask('A', k1)
  rig.now += 10_000
  rig.ask('A', k2)
  rig.now += 100
  rig.ask('A', k1)
  t.same(inLine(rig, [3, 4, 5]), [3, 4, 5])
})
