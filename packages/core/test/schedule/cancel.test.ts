import t from 'tap'
import { model, Rig } from './rig.ts'

const abc = (): Rig => new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })

t.test('a queued request that is cancelled triggers no load', (t) => {
  const rig = abc()
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.cancel(2), [])
  t.same(rig.served(1), [])
  t.equal(rig.phase('A'), 'ready')
  t.end()
})

t.test('a waiter of a load that is cancelled is not granted', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 })] })
  rig.ask('A')
  rig.ask('A')
  t.same(rig.cancel(1), [])
  t.same(rig.ready(1), ['grant 2 A'])
  t.end()
})

t.test('cancelling a request that does not wait changes nothing', (t) => {
  const rig = abc()
  t.same(rig.cancel(7), [])
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.same(rig.cancel(1), [], 'it was granted already')
  t.equal(rig.inFlight('A'), 1)
  t.end()
})

t.test('an abandoned load is aborted when somebody needs the room', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  t.same(rig.cancel(1), ['abort 1', 'swap 2 B -A'])
  t.same(rig.aborted(1), [])
  t.same(rig.ready(2), ['grant 2 B'])
  t.equal(rig.phase('A'), 'stopped')
  t.end()
})

t.test('an abandoned load is aborted for one who comes later, too', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.cancel(1)
  t.same(rig.ask('B'), ['abort 1', 'swap 2 B -A'])
  t.end()
})

t.test('a load with a waiter left is not abandoned', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  t.same(rig.cancel(1), [])
  t.same(rig.ready(1), ['grant 2 A'])
  t.end()
})

t.test('an abandoned load that is in nobody’s way completes and stays, idle', (t) => {
  const rig = abc()
  rig.ask('A')
  t.same(rig.cancel(1), [])
  t.same(rig.ready(1), [])
  t.equal(rig.phase('A'), 'ready')
  t.same(rig.ask('A'), ['grant 2 A'])
  t.end()
})

t.test('ready after an abort is idle and evictable', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.cancel(1)
  t.same(rig.ready(1), [], 'the abort came too late')
  rig.failed(2, { evictions: [{ model: model('A').id, outcome: 'kept' }] })
  t.equal(rig.phase('A'), 'ready')
  t.equal(rig.inFlight('A'), 0)
  t.same(rig.ask('C'), ['swap 3 C -A'])
  t.end()
})

t.test('a request for a model whose load is being given up waits for a load of its own', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  rig.cancel(1)
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(3), 'stopping')
  rig.aborted(1)
  rig.ready(2)
  t.same(rig.served(2), ['swap 3 A -B'])
  t.end()
})

t.test('a cancelled overdue request lets those go on whom it held up', (t) => {
  const rig = new Rig({
    models: [model('A', { concurrencyLimit: 2 }), model('B')],
    policy: { use: 'fifo', fairAfterMs: 1_000 },
  })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(1_000)
  t.same(rig.ask('A'), [])
  t.same(rig.cancel(2), ['grant 3 A'])
  t.end()
})

t.test('one of several overdue requests that is cancelled leaves the hold of the others', (t) => {
  const rig = new Rig({
    models: [model('A', { concurrencyLimit: 2 }), model('B')],
    policy: { use: 'fifo', fairAfterMs: 1_000 },
  })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.ask('B')
  rig.pass(1_000)
  rig.ask('A')
  t.same(rig.cancel(2), [])
  t.equal(rig.cause(4), 'held-for')
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test('an abandoned load that evicts somebody gives way as well', (t) => {
  const rig = new Rig({ models: [model('A'), model('B'), model('C')] })
  rig.hostUp('local', [{ model: 'C' }])
  t.same(rig.ask('A'), ['swap 1 A -C'])
  rig.cancel(1)
  t.same(rig.ask('B'), ['abort 1', 'swap 2 B -A -C'])
  rig.aborted(1)
  t.same(rig.ready(2), ['grant 2 B'])
  t.end()
})
