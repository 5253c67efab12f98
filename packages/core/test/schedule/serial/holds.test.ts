import t from 'tap'
import { group, hostId, memory, modelId } from '../../../src/index.ts'
import { model, Rig } from '../rig.ts'
import { rigOf, serial } from './fixtures.ts'

const twoSlots = [model('A', { concurrencyLimit: 2 }), model('B')]

t.test('loaded but full: the next slot is kept, and no lower score swaps the model out', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: 5 })
  rig.ask('B')
  t.equal(rig.cause(2), 'slots-full')
  t.same(rig.served(1), ['grant 2 A'])
  t.same(rig.served(2), ['swap 2 B -A'])
})

t.test('loaded but full: no drain is timed while somebody with a better score wants the model', async (t) => {
  const rig = rigOf(['A', 'B'], {}, { limits: { drainTimeoutMs: 1_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', { priority: 5 })
  rig.ask('B')
  t.same(rig.pass(5_000), [])
  t.same(rig.served(1), ['grant 2 A'], 'and it is not cut at once')
  t.same(rig.pass(999), [], 'the decision to evict it is made only now')
  t.same(rig.pass(1), ['swap 2 B -A'])
})

t.test('the decision to evict is made when the last with a better score gets its slot', async (t) => {
  const rig = rigOf([], {}, { models: twoSlots, limits: { drainTimeoutMs: 1_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A', { priority: 5 })
  rig.ask('B')
  rig.now = 5_000
  t.same(rig.served(1), ['grant 3 A'])
  t.same(rig.pass(999), [])
  t.same(rig.pass(1), ['swap 2 B -A'])
})

t.test('the decision to evict is made when those who wait for the model have a lower score', async (t) => {
  const rig = rigOf([], {}, { models: twoSlots, limits: { drainTimeoutMs: 1_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A', { priority: 5 })
  rig.ask('B', { priority: 2 })
  rig.ask('A')
  rig.now = 5_000
  t.same(rig.served(1), ['grant 3 A'])
  t.same(rig.pass(999), [])
  t.same(rig.pass(1), ['swap 2 B -A'])
})

t.test('one that goes before a hold has the whole drain limit', async (t) => {
  const rig = rigOf([], {}, { models: twoSlots, limits: { drainTimeoutMs: 10_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  rig.pass(9_000)
  t.same(rig.ask('A', { priority: 9 }), ['grant 3 A'])
  t.same(rig.pass(9_999), [])
  t.same(rig.pass(1), ['swap 2 B -A'])
})

t.test('one that waited for its slot before a hold has the whole drain limit, too', async (t) => {
  const rig = rigOf(['A', 'B'], {}, { limits: { drainTimeoutMs: 10_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  rig.pass(9_000)
  rig.ask('A', { priority: 9 })
  t.same(rig.pass(3_000), [], 'the limit of the first one does not count while another comes before the hold')
  t.same(rig.served(1), ['grant 3 A'])
  t.same(rig.pass(9_999), [])
  t.same(rig.pass(1), ['swap 2 B -A'])
})

t.test('a hold: nothing with a lower score is granted to a model that must go', async (t) => {
  const rig = rigOf([], {}, { models: twoSlots })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  t.same(rig.ask('A'), [], 'a slot is free, and held')
  t.equal(rig.cause(3), 'held-for')
  t.equal(rig.cause(2), 'draining')
  t.same(rig.ask('A', { priority: 9 }), ['grant 4 A'], 'a higher score goes before the hold')
  rig.served(1)
  t.same(rig.served(4), ['swap 2 B -A'])
  t.same(rig.ready(2), ['grant 2 B'])
  t.same(rig.served(2), ['swap 3 A -B'])
})

t.test('a hold ends with its request', async (t) => {
  const rig = rigOf([], {}, { models: twoSlots })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  rig.ask('A')
  t.same(rig.cancel(2), ['grant 3 A'])
})

t.test('of equal scores the one that came first goes first, and holds up the other', async (t) => {
  const rig = rigOf([], { swapAffinity: 0 }, { models: twoSlots })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('A')
  rig.now = 10_000
  rig.ask('B', { priority: 1 })
  t.same(rig.served(1), ['grant 3 A'], 'ten seconds are a point')
  t.same(rig.served(2), [])
  t.same(rig.ask('A', { priority: 1 }), [])
  t.equal(rig.cause(5), 'held-for')
})

const h1 = hostId('h1')
const h2 = hostId('h2')

t.test('a hold on one host freezes no other', async (t) => {
  const rig = new Rig({
    models: [
      model('A', { concurrencyLimit: 2, hosts: [h1, h2] }),
      model('B', { hosts: [h1] }),
      model('C', { concurrencyLimit: 2, hosts: [h2] }),
    ],
    policy: serial(),
    hosts: ['h1', 'h2'],
  })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'C' }])
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.equal(rig.cause(2), 'draining')
  t.same(rig.ask('C'), ['grant 3 C@h2'])
  t.same(rig.served(3), [])
  t.same(rig.ask('A'), ['swap 1 A@h2 -C'], 'its own model is held on h1 and free to start on h2')
})

t.test('a hold keeps models away that are not there yet, and would have to go again', async (t) => {
  const swapper = group([
    {
      id: 'small',
      swap: false,
      exclusive: false,
      persistent: false,
      members: [modelId('A'), modelId('C')],
    },
  ])
  const rig = rigOf(['A', 'B', 'C'], {}, { swapper })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  t.same(rig.ask('C'), [])
  t.equal(rig.cause(3), 'held-for')
  t.same(rig.ask('C', { priority: 9 }), ['swap 2 C'], 'a higher score goes before the hold')
})

const sizes = new Map([
  ['A', 60],
  ['K', 10],
  ['N', 15],
  ['S', 10],
  ['T', 80],
])

t.test('a hold keeps memory free: what would fit now and not with the one that comes first has to wait', async (t) => {
  const swapper = memory({
    sizeOf: (id) => ({ bytes: sizes.get(id) ?? 0, source: 'declared' }),
    budgetOf: () => new Map([['gpu', 100]]),
  })
  const rig = rigOf([...sizes.keys()], {}, { swapper })
  rig.hostUp('local', [{ model: 'A' }, { model: 'K' }])
  rig.ask('A')
  t.same(rig.ask('T', { priority: 3 }), [], 'A has to go and drains')
  t.equal(rig.cause(2), 'draining')
  t.same(rig.ask('N'), [], 'beside T and K there is no room for it')
  t.equal(rig.cause(3), 'held-for')
  t.same(rig.ask('S'), ['swap 1 S'], 'for this one there is')
  rig.ready(1)
  rig.served(4)
  t.same(rig.served(1), ['swap 2 T -A'])
})

t.test('a hold does not keep others from what it does not need', async (t) => {
  const swapper = group([{ id: 'side', swap: false, exclusive: false, persistent: true, members: [modelId('C')] }])
  const rig = rigOf(['A', 'B', 'C'], {}, { swapper })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B', { priority: 3 })
  t.same(rig.ask('C'), ['swap 2 C'])
})

t.test('the lease of a load comes before any score', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  t.same(rig.ask('B', { priority: 50 }), [])
  t.same(rig.ready(1), ['grant 1 A'])
  t.same(rig.served(1), ['swap 2 B -A'])
})

t.test('those who join a load beyond its slots are ordered like anyone when it is ready', async (t) => {
  const rig = rigOf(['A', 'B'])
  rig.ask('A')
  rig.ask('A')
  rig.ask('B', { priority: 50 })
  t.same(rig.ready(1), ['grant 1 A'])
  t.same(rig.served(1), ['swap 2 B -A'], 'the second of A has to wait')
})
