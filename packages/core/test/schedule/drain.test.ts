import t from 'tap'
import { model, Rig } from './rig.ts'

const LONG = { queueTimeoutMs: 100_000_000 }

const serving = (limits: { drainTimeoutMs?: number | 'never' } = {}): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)), limits: { ...LONG, ...limits } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  return rig
}

t.test('no swap while the model that must go is serving', (t) => {
  const rig = serving()
  t.same(rig.ask('B'), [])
  t.equal(rig.cause(2), 'draining')
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test('a request that takes no slot holds the model as well', (t) => {
  const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A', { takesSlot: false })
  t.same(rig.ask('B'), [])
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test('at its limit a drain ends: the remaining requests are cut by the swap', (t) => {
  const rig = serving()
  rig.ask('B')
  t.same(rig.pass(599_999), [])
  t.equal(rig.scheduler.nextTick(), 600_000)
  t.same(rig.pass(1), ['swap 1 B -A'])
  t.same(rig.ready(1), ['grant 2 B'])
  t.same(rig.served(1), [], 'the cut request ends later and counts nowhere')
  t.equal(rig.inFlight('B'), 1)
  t.end()
})

t.test('the drain limit runs from the first wait', (t) => {
  const rig = serving()
  rig.pass(100_000)
  rig.ask('B')
  rig.pass(300_000)
  rig.ask('C')
  t.same(rig.pass(299_999), [])
  t.same(rig.pass(1), ['swap 1 B -A'])
  t.end()
})

t.test('a drain that nobody waits for any more starts anew next time', (t) => {
  const rig = serving()
  rig.ask('B')
  rig.pass(500_000)
  rig.cancel(2)
  rig.ask('B')
  t.same(rig.pass(599_999), [])
  t.same(rig.pass(1), ['swap 1 B -A'])
  t.end()
})

t.test('a drain limit of never cuts nobody', (t) => {
  const rig = serving({ drainTimeoutMs: 'never' })
  rig.ask('B')
  t.same(rig.pass(10_000_000), [])
  t.equal(rig.inFlight('A'), 1)
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test('a draining model with a free slot still serves', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 }), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.ask('A'), ['grant 3 A'])
  t.same(rig.served(1), [])
  t.same(rig.served(3), ['swap 1 B -A'])
  t.end()
})

t.test('what a draining model still serves does not begin its drain anew', (t) => {
  const models = [model('A', { concurrencyLimit: 2 }), model('B')]
  const rig = new Rig({ models, limits: { drainTimeoutMs: 10_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(5_000)
  t.same(rig.ask('A'), ['grant 3 A'])
  t.same(rig.pass(4_999), [])
  t.same(rig.pass(1), ['swap 1 B -A'])
  t.end()
})
