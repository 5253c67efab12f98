import t from 'tap'
import { hostId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const on = (...hosts: string[]) => ({ hosts: hosts.map((id) => hostId(id)) })

/** Two hosts, every model on both. */
const pair = (ids: string[] = ['A', 'B', 'C']): Rig =>
  new Rig({ models: ids.map((id) => model(id, on('h1', 'h2'))), hosts: ['h2', 'h1'] })

t.test('where nothing was measured a tie goes to the first host by id', (t) => {
  t.same(pair().ask('A'), ['swap 1 A@h1'])
  t.end()
})

t.test('one swap per model at a time: later requests join it', (t) => {
  const rig = pair()
  rig.ask('A')
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(2), 'loading')
  t.end()
})

t.test('a model starts where nothing has to drain, rather than wait on the first host', (t) => {
  const rig = pair()
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  t.same(rig.ask('B'), ['swap 1 B@h2'])
  t.end()
})

t.test('a model starts where nothing loads that others wait for', (t) => {
  const rig = pair()
  rig.ask('A')
  t.same(rig.ask('B'), ['swap 2 B@h2'])
  t.end()
})

t.test('the smallest estimated start time decides: measured load and stop times count', (t) => {
  const rig = pair()
  rig.hostDown('h2')
  rig.ask('A')
  rig.ready(1, { loadMs: 9_000 })
  rig.served(1)
  rig.hostUp('h2')
  rig.hostDown('h1')
  rig.ask('A')
  rig.ready(2, { loadMs: 2_000 })
  rig.served(2)
  rig.hostUp('h1')
  rig.unload(['A'])
  rig.stopDone(3)
  t.same(rig.ask('A'), ['swap 4 A@h2'])
  t.end()
})

t.test('a measured stop counts as well', (t) => {
  const rig = pair(['A', 'B'])
  rig.hostDown('h1')
  rig.ask('B')
  rig.ready(1, { loadMs: 5_000 })
  rig.served(1)
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostDown('h2')
  rig.ask('B')
  rig.ready(2, { loadMs: 1_000, stopMs: 8_000 })
  rig.served(2)
  rig.ask('A')
  rig.ready(3, { loadMs: 1_000 })
  rig.served(3)
  rig.hostUp('h2')
  t.same(rig.ask('B'), ['swap 4 B@h2'], 'five seconds there, eight and one here')
  t.end()
})

t.test('of several ready replicas the picker chooses', (t) => {
  const rig = pair()
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'A' }])
  t.same(rig.ask('A'), ['grant 1 A@h1'])
  t.same(rig.ask('A'), ['grant 2 A@h2'])
  t.same(rig.ask('A'), [])
  t.same(rig.served(2), ['grant 3 A@h2'])
  t.end()
})

t.test('a cooldown holds on its own host only', (t) => {
  const rig = pair()
  rig.ask('A')
  rig.failed(1)
  t.same(rig.ask('A'), ['swap 2 A@h2'])
  rig.failed(2)
  t.same(rig.ask('A'), ['reject 3 start_failed'], 'now it is broken everywhere')
  t.end()
})

t.test('a host with a process that would not end is left for another', (t) => {
  const rig = pair()
  rig.hostUp('h1', [{ model: 'A' }])
  rig.unload(['A'])
  rig.stopDone(1, ['A'])
  t.same(rig.ask('B'), ['swap 2 B@h2'])
  t.end()
})

t.test('a load that fails on one host leaves the waiters of another one alone', (t) => {
  const rig = pair(['A'])
  rig.ask('A')
  t.same(rig.hostUp('h2', [{ model: 'A' }]), ['grant 1 A@h2'])
  rig.ask('A')
  t.same(rig.failed(1), [])
  t.same(rig.served(1), ['grant 2 A@h2'])
  t.end()
})

t.test('requests of a host that vanished go back to their old place and are served elsewhere', (t) => {
  const rig = pair()
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  t.same(rig.hostDown('h1'), ['swap 1 A@h2'])
  rig.served(1, 'retry')
  t.same(rig.ready(1), ['grant 2 A@h2'], 'the first waiter of the load')
  t.same(rig.served(2), ['grant 1 A@h2'])
  t.end()
})

t.test('the load of a host that vanished fails nobody: its waiters are served elsewhere', (t) => {
  const rig = pair()
  rig.ask('A')
  rig.hostDown('h1')
  t.same(rig.failed(1, { failure: { code: 'host_unreachable', message: 'gone' } }), ['swap 2 A@h2'])
  t.end()
})

t.test('a load that got ready on a host that is away serves nobody there', (t) => {
  const rig = pair()
  rig.ask('A')
  rig.hostDown('h1')
  t.same(rig.ready(1), ['swap 2 A@h2'])
  t.end()
})

t.test('nothing new is sent to a host that is away', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.hostDown('local')
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'no-host')
  t.same(rig.hostUp('local', [{ model: 'A', sameAsBefore: true }]), ['grant 1 A'])
  t.end()
})

t.test('a host that comes back with the same process still counts what that serves', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A', { takesSlot: false })
  rig.hostDown('local')
  rig.hostUp('local', [{ model: 'A', sameAsBefore: true }])
  t.equal(rig.inFlight('A'), 1)
  t.same(rig.ask('A'), [])
  t.same(rig.served(1), ['grant 3 A'])
  t.equal(rig.inFlight('A'), 1)
  t.end()
})

t.test('a host that comes back without a process has lost it', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.hostUp('local', [{ model: 'B', sameAsBefore: true }])
  t.equal(rig.phase('A'), 'stopped')
  t.equal(rig.phase('B'), 'ready')
  t.end()
})

t.test('a process that is found alive and is not configured is stopped', (t) => {
  const rig = new Rig({ models: [model('A')] })
  t.same(rig.hostUp('local', [{ model: 'Z' }]), ['stop 1 Z removed'])
  t.same(rig.ask('A'), ['swap 2 A -Z'], 'and is in the way until it ends')
  t.end()
})

t.test('a stale observation is ignored', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.same(rig.crashed('A', { olderBy: 1 }), [])
  t.equal(rig.phase('A'), 'ready')
  t.equal(rig.inFlight('A'), 1)
  t.same(rig.crashed('A'), [])
  t.equal(rig.phase('A'), 'stopped')
  t.same(rig.crashed('A'), [], 'told twice')
  t.end()
})

t.test('a late end of a grant does not count down a later process', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.pass(30_000)
  rig.crashed('A')
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  t.equal(rig.inFlight('A'), 1)
  t.end()
})

t.test('an answer to a swap that was answered is ignored', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1)
  t.same(rig.failed(1), [])
  t.equal(rig.phase('A'), 'ready')
  t.end()
})
