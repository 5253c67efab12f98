import t from 'tap'
import { group, hostId, modelId } from '../../../src/index.ts'
import { model, type Rig } from '../rig.ts'
import { rigOf } from './fixtures.ts'

/** A has served one in 10 s, and has slots. */
const measured = (slots: number, backfill = true): Rig => {
  const rig = rigOf([], { backfill }, { models: [model('A', { concurrencyLimit: slots }), model('B')] })
  rig.ask('A')
  rig.ready(1)
  rig.now = 10_000
  rig.served(1)
  return rig
}

t.test('backfill lets a short request use a held slot while a longer one still drains', async (t) => {
  const rig = measured(2)
  t.same(rig.ask('A'), ['grant 2 A'], 'expected to run until 20 s')
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A'), ['grant 4 A'], 'it is expected to end by then, too')
  rig.served(4)
  rig.now = 12_000
  t.same(rig.ask('A'), [], 'this one would not')
  t.same(rig.served(2), ['swap 2 B -A'])
})

t.test('without backfill a held slot stays free', async (t) => {
  const rig = measured(2, false)
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A'), [])
})

t.test('what was let in by backfill is no drain that another could be let in for', async (t) => {
  const rig = measured(3)
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A'), ['grant 4 A'])
  t.same(rig.served(2), [], 'the last one that had to drain')
  t.same(rig.ask('A'), [])
  t.same(rig.served(4), ['swap 2 B -A'])
})

t.test('nobody is let in while nothing is known of how long serving takes', async (t) => {
  const rig = rigOf([], { backfill: true }, { models: [model('A', { concurrencyLimit: 2 }), model('B')] })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A'), [])
})

t.test('one that takes no slot is not let in: nobody knows how long it stays', async (t) => {
  const rig = measured(3)
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.same(rig.ask('A', { takesSlot: false }), [])
})

t.test('of several models that must go the short one is used until the long one has drained', async (t) => {
  const swapper = group([
    { id: 'pair', swap: false, exclusive: false, persistent: false, members: [modelId('L'), modelId('S')] },
  ])
  const rig = rigOf(['L', 'S', 'B'], { backfill: true }, { swapper })
  rig.ask('L')
  rig.ready(1)
  rig.ask('S')
  rig.ready(2)
  rig.now = 5_000
  rig.served(2)
  rig.now = 100_000
  rig.served(1)
  rig.ask('L')
  rig.ask('B', { priority: 50 })
  rig.now = 195_000
  t.same(rig.ask('S'), ['grant 5 S'], 'done at 200 s, when L is')
  rig.served(5)
  rig.now = 195_001
  t.same(rig.ask('S'), [])
  t.same(rig.served(3), ['swap 3 B -L -S'])
})

t.test('one that is let in by backfill does not begin the drain anew', async (t) => {
  const swapper = group([
    { id: 'pair', swap: false, exclusive: false, persistent: false, members: [modelId('L'), modelId('S')] },
  ])
  const models = [model('L'), model('S', { concurrencyLimit: 2 }), model('B')]
  const rig = rigOf([], { backfill: true }, { models, swapper, limits: { drainTimeoutMs: 30_000 } })
  rig.ask('L')
  rig.ready(1)
  rig.ask('S')
  rig.ready(2)
  rig.now = 5_000
  rig.served(2)
  rig.now = 100_000
  rig.served(1)
  rig.ask('L')
  rig.ask('S')
  rig.ask('B', { priority: 50 })
  rig.pass(10_000)
  t.same(rig.ask('S'), ['grant 6 S'])
  t.same(rig.pass(19_999), [])
  t.same(rig.pass(1), ['swap 3 B -L -S'])
})

t.test('what runs elsewhere is no drain', async (t) => {
  const models = [
    model('A', { concurrencyLimit: 2, hosts: [hostId('h1')] }),
    model('B', { hosts: [hostId('h1')] }),
    model('C', { hosts: [hostId('h2')] }),
  ]
  const rig = rigOf([], { backfill: true }, { models, hosts: ['h1', 'h2'] })
  rig.ask('A')
  rig.ready(1)
  rig.ask('C')
  rig.ready(2)
  rig.now = 10_000
  rig.served(1)
  rig.now = 100_000
  rig.served(2)
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  rig.now = 102_000
  rig.ask('C')
  t.same(rig.ask('A'), [], 'C is expected to serve for longer, on another host')
  t.equal(rig.cause(6), 'held-for')
})

t.test('how long serving takes is told by the longest but one of ten', async (t) => {
  const swapper = group([
    { id: 'pair', swap: false, exclusive: false, persistent: false, members: [modelId('L'), modelId('S')] },
  ])
  const rig = rigOf(['L', 'S', 'B'], { backfill: true }, { swapper })
  rig.ask('L')
  rig.ready(1)
  rig.now = 20_000
  rig.served(1)
  rig.ask('S')
  rig.ready(2)
  for (let request = 2; request <= 10; request += 1) {
    rig.now += request === 2 ? 60_000 : 1_000
    rig.served(request)
    if (request < 10) rig.ask('S')
  }
  rig.ask('L')
  rig.ask('B', { priority: 50 })
  rig.now += 2_000
  t.same(rig.ask('S'), [], 'mostly it takes a second, and one time in nine a minute')
})
