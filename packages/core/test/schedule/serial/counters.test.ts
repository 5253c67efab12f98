import t from 'tap'
import { hostId } from '../../../src/index.ts'
import { model, Rig } from '../rig.ts'
import { rigOf, serial } from './fixtures.ts'

const counters = (rig: Rig): number[] => {
  const { agingReorders, affinityReorders } = rig.scheduler.stats(rig.now)
  return [agingReorders, affinityReorders]
}

t.test('agingReorders counts the dispatches in which waiting decided', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: -2 })
  rig.now = 30_000
  rig.ask('A')
  t.same(rig.served(1), ['grant 2 A'])
  t.same(counters(rig), [1, 0])
  t.same(rig.served(2), ['grant 3 A'])
  t.same(counters(rig), [1, 0], 'nobody else was there')
})

t.test('agingReorders counts swaps as well', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('B')
  rig.now = 30_000
  rig.ask('A')
  t.same(rig.served(1), ['swap 2 B -A'])
  t.same(counters(rig), [1, 0])
})

t.test('affinityReorders counts the dispatches in which staying decided', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.now = 1_000
  rig.ask('B')
  rig.now = 5_000
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
  t.same(counters(rig), [0, 1])
})

t.test('what priority decides counts as neither', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A', { priority: 5 })
  rig.ask('B', { priority: 9 })
  rig.served(1)
  t.same(counters(rig), [0, 0])
})

t.test('who was looked at first and has to wait is not counted as passed over', async (t) => {
  const rig = new Rig({
    models: [model('A', { hosts: [hostId('h1')], concurrencyLimit: 2 }), model('B', { hosts: [hostId('h2')] })],
    policy: serial(),
    hosts: ['h1', 'h2'],
  })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 5 })
  t.equal(rig.cause(2), 'loading')
  rig.now = 1_000
  t.same(rig.ask('A'), ['grant 3 A@h1'])
  t.same(counters(rig), [0, 0])
})

t.test('one that takes no slot passes those who wait for one, and nobody was reordered', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: 5 })
  rig.ask('B', { priority: -5 })
  t.same(rig.ask('A', { takesSlot: false }), ['grant 4 A'])
  t.same(counters(rig), [0, 0])
})

t.test('stats show every band, also when it is empty', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: 3 })
  rig.now = 2_000
  t.same(rig.scheduler.stats(rig.now), {
    bands: {
      urgent: { depth: 1, oldestWaitMs: 2_000, dispatched: 0 },
      normal: { depth: 0, oldestWaitMs: 0, dispatched: 1 },
      batch: { depth: 0, oldestWaitMs: 0, dispatched: 0 },
    },
    agingReorders: 0,
    affinityReorders: 0,
  })
})
