import t from 'tap'
import { callerId } from '../../src/index.ts'
import { group, modelId, type Swapper } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const policy = { use: 'fifo', fairAfterMs: 60_000 } as const
const NO_LIMIT = { drainTimeoutMs: 'never', queueTimeoutMs: 100_000_000 } as const

const wide = (slots = 2): Rig => {
  const models = [model('A', { concurrencyLimit: slots }), model('B'), model('C', { priority: 9 })]
  const rig = new Rig({ models, policy, limits: NO_LIMIT })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('overdue requests come first, by arrival, whatever the priorities', (t) => {
  const rig = wide(1)
  rig.ask('A')
  rig.ask('B', { priority: -100 })
  rig.ask('C', { priority: 100 })
  rig.pass(59_999)
  t.equal(rig.position(2), 2)
  rig.pass(1)
  t.equal(rig.position(2), 1)
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test(
  'an endless stream to one model starves nobody: from fairAfterMs on no later arrival is granted what must go',
  (t) => {
    const rig = wide(3)
    rig.ask('A')
    rig.ask('B')
    rig.pass(59_999)
    t.same(rig.ask('A'), ['grant 3 A'], 'before that it batches')
    rig.pass(1)
    t.same(rig.ask('A'), [])
    t.equal(rig.cause(4), 'held-for')
    t.same(rig.ask('A', { takesSlot: false }), [], 'nor what takes no slot')
    t.same(rig.served(1), [])
    t.same(rig.served(3), ['swap 1 B -A'])
    t.end()
  },
)

t.test('an earlier arrival is still granted what an overdue request needs', (t) => {
  const rig = wide()
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  rig.pass(10)
  rig.ask('B')
  rig.pass(60_000)
  t.same(rig.served(1), ['grant 3 A'])
  rig.served(2)
  t.same(rig.served(3), ['swap 1 B -A'])
  t.end()
})

t.test('one walk serves overdue requests of several models in order of arrival, not model by model', (t) => {
  const rig = wide(1)
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  rig.ask('A', { takesSlot: false })
  rig.pass(60_000)
  t.same(rig.served(4, 'retry'), [], 'it goes back behind B')
  t.same(rig.served(1), ['grant 2 A'], 'and is not served with its model')
  t.same(rig.served(2), ['swap 1 B -A'])
  t.end()
})

t.test('no later arrival is swapped in over what an overdue request needs', (t) => {
  const groups = [
    { id: 'g', swap: false, exclusive: false, persistent: false, members: [modelId('A'), modelId('E')] },
    { id: 'h', swap: true, exclusive: true, persistent: false, members: [modelId('B')] },
  ]
  const models = ['A', 'B', 'E'].map((id) => model(id))
  const rig = new Rig({ models, policy, limits: NO_LIMIT, swapper: group(groups) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(60_000)
  t.same(rig.ask('E'), [], 'it would have to go again for B')
  t.equal(rig.cause(3), 'held-for')
  t.same(rig.served(1), ['swap 1 B -A', 'swap 2 E'], 'beside B it may load, as its group evicts nobody')
  t.end()
})

t.test('no later arrival evicts what an overdue request has to evict', (t) => {
  const evicts: Record<string, string[]> = { B: ['A', 'C'], E: ['C'] }
  const table: Swapper = {
    name: 'table',
    plan: ({ target, residents }) => {
      const models = residents.map((resident) => resident.model).filter((id) => evicts[target]?.includes(id))
      return { type: 'evict', models, reason: 'the table says so' }
    },
  }
  const rig = new Rig({ models: ['A', 'B', 'C', 'E'].map((id) => model(id)), policy, limits: NO_LIMIT, swapper: table })
  rig.hostUp('local', [{ model: 'A' }, { model: 'C' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(60_000)
  t.same(rig.ask('E'), [])
  t.equal(rig.cause(3), 'held-for')
  t.same(rig.served(1), ['swap 1 B -A -C'])
  t.end()
})

t.test('before it is overdue a waiting request keeps nobody from loading', (t) => {
  const groups = [{ id: 'g', swap: false, exclusive: false, persistent: false, members: [modelId('A'), modelId('E')] }]
  const models = ['A', 'B', 'E'].map((id) => model(id))
  const rig = new Rig({ models, policy, limits: NO_LIMIT, swapper: group(groups) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.ask('E'), ['swap 1 E'])
  t.end()
})

t.test('an overdue request that waits for a slot keeps its model from being evicted by later arrivals', (t) => {
  const rig = wide(1)
  rig.ask('A')
  rig.ask('A')
  rig.pass(60_000)
  rig.ask('C', { priority: 100 })
  t.same(rig.served(1), ['grant 2 A'])
  t.same(rig.served(2), ['swap 1 C -A'])
  t.end()
})

t.test('inside a model the overdue oldest goes before any priority', (t) => {
  const rig = wide(1)
  rig.ask('A')
  rig.ask('A', { priority: -100 })
  rig.pass(60_000)
  rig.ask('A', { priority: 100 })
  t.same(rig.served(1), ['grant 2 A'])
  t.end()
})

t.test('nobody is kept waiting for a request that waits for a process that would not end', (t) => {
  const groups = [{ id: 'g', swap: false, exclusive: false, persistent: false, members: [modelId('A'), modelId('S')] }]
  const models = ['A', 'S', 'B'].map((id) => model(id))
  const rig = new Rig({ models, policy, limits: NO_LIMIT, swapper: group(groups) })
  rig.hostUp('local', [{ model: 'A' }, { model: 'S' }])
  rig.unload(['S'])
  rig.stopDone(1, ['S'])
  rig.ask('B')
  t.equal(rig.cause(1), 'stuck')
  rig.pass(60_000)
  t.same(rig.ask('A'), ['grant 2 A'])
  t.end()
})

t.test('a request in cooldown keeps nothing from others, however long it waits', (t) => {
  const rig = wide()
  rig.ask('A')
  rig.served(1)
  rig.ask('B')
  rig.ready(1)
  rig.ask('B')
  rig.ask('A')
  rig.pass(29_000)
  rig.crashed('B')
  rig.served(2)
  t.match(rig.commands.at(-1), { type: 'start-swap', swap: { model: 'A' } })
  t.equal(rig.cause(3), 'cooldown')
  t.end()
})

t.test('a tick is due when a request becomes overdue', (t) => {
  const rig = wide(1)
  rig.ask('A')
  rig.pass(5)
  rig.ask('B')
  t.equal(rig.scheduler.nextTick(), 60_005)
  rig.pass(60_000)
  t.equal(rig.scheduler.nextTick(), 100_000_005, 'next is the limit of its wait')
  t.end()
})

t.test('a request that was parked while it became overdue comes in its place, not after others', (t) => {
  const rig = new Rig({
    models: [model('A', { concurrencyLimit: 2 }), model('B')],
    policy: { use: 'fifo', fairAfterMs: 1_000 },
  })
  const limited = { caller: callerId('k2'), callerLimit: 1 }
  rig.ask('A')
  rig.ready(1)
  rig.ask('A', limited)
  t.same(rig.ask('B', limited), [])
  t.same(rig.ask('A'), [], 'the slots are full')
  rig.pass(1_000)
  t.same(rig.served(2), [], 'B waited longer, so the slot stays free')
  t.equal(rig.cause(3), 'draining')
  t.end()
})

t.test('a drain is timed from when the overdue that wanted the model have been served', (t) => {
  const models = [model('A', { concurrencyLimit: 2 }), model('B')]
  const rig = new Rig({ models, policy, limits: { drainTimeoutMs: 10_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  rig.pass(60_000)
  rig.ask('B')
  rig.pass(5_000)
  t.same(rig.served(1), ['grant 3 A'])
  t.same(rig.pass(9_999), [])
  t.same(rig.pass(1), ['swap 1 B -A'])
  t.end()
})

t.test('an earlier arrival that is tried again is still granted what an overdue request needs', (t) => {
  const rig = new Rig({
    models: [model('A', { concurrencyLimit: 2 }), model('B')],
    policy: { use: 'fifo', fairAfterMs: 1_000 },
  })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('B')
  rig.pass(1_000)
  t.equal(rig.cause(3), 'draining')
  t.same(rig.served(1, 'retry'), ['grant 1 A'], 'it came before the one that everything is kept for')
  t.end()
})
