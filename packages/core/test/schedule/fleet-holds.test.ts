import t from 'tap'
import { DEFAULT_SERIAL, hostId, type SchedulerLimits } from '../../src/index.ts'
import { fleetRig } from './fleet-fixtures.ts'
import { model, Rig } from './rig.ts'

const on = (...hosts: string[]) => ({ hosts: hosts.map((id) => hostId(id)) })

/** A may run on both hosts, B on one of them. */
const serialRig = (hostOfB: string, limits: Partial<SchedulerLimits> = {}): Rig =>
  new Rig({
    models: [model('A', on('h1', 'h2')), model('B', on(hostOfB)), model('C', on('h2'))],
    hosts: ['h1', 'h2'],
    policy: DEFAULT_SERIAL,
    limits,
  })

t.test('a hold on one host freezes no other', async (t) => {
  const rig = serialRig('h1')
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'A' }])
  t.same(rig.ask('A'), ['grant 1 A@h1'])
  t.same(rig.ask('A'), ['grant 2 A@h2'])
  rig.ask('B', { priority: 5 })
  t.equal(rig.cause(3), 'draining')
  rig.ask('A')
  t.same(rig.served(2), ['grant 4 A@h2'], 'h2 serves on')
  rig.ask('A')
  t.same(rig.served(1), ['swap 1 B@h1 -A'], 'h1 was kept')
  t.same(rig.served(4), ['grant 5 A@h2'])
})

t.test('a model whose only replica is held for another starts on a free host', async (t) => {
  const rig = serialRig('h1')
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B', { priority: 5 })
  t.same(rig.ask('A', { takesSlot: false }), ['swap 1 A@h2'], 'its slot does not matter')
  t.equal(rig.cause(3), 'loading')
  t.same(rig.served(1), ['swap 2 B@h1 -A'])
  t.same(rig.ready(1), ['grant 3 A@h2'])
})

t.test('it does not where somebody else would have to wait for that', async (t) => {
  const rig = serialRig('h1')
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'C' }])
  rig.ask('A')
  rig.ask('C')
  rig.ask('B', { priority: 5 })
  t.same(rig.ask('A', { takesSlot: false }), [])
  t.equal(rig.cause(4), 'held-for')
  t.same(rig.served(2), ['swap 1 A@h2 -C'], 'C is idle, and nobody asks for it')
})

t.test('it does not where a hold stands before it', async (t) => {
  const rig = new Rig({
    models: [model('A', on('h1', 'h2')), model('B', on('h1')), model('C', on('h2')), model('D', on('h2'))],
    hosts: ['h1', 'h2'],
    policy: DEFAULT_SERIAL,
  })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'D' }])
  rig.ask('A')
  rig.ask('D', { takesSlot: false })
  rig.ask('B', { priority: 5 })
  rig.ask('C', { priority: 5 })
  t.same(rig.ask('A', { takesSlot: false }), [])
  t.same(rig.served(2), ['swap 1 C@h2 -D'])
})

t.test('the next slot is kept on every replica that is full', async (t) => {
  const rig = serialRig('h2', { drainTimeoutMs: 1_000 })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A', { priority: 5 })
  rig.ask('B')
  t.same(rig.pass(5_000), [], 'the lower score cuts nothing that the higher one waits for')
  t.same(rig.served(2), ['grant 3 A@h2'])
})

t.test('of a host that vanished all come back to their old places, whatever the order of their ends', async (t) => {
  const rig = fleetRig({ each: { concurrencyLimit: 3 }, models: ['A'] })
  rig.hostUp('h1', [{ model: 'A' }])
  for (let place = 0; place < 6; place += 1) rig.ask('A')
  t.same(rig.hostDown('h1'), ['swap 1 A@h2'])
  for (const request of [3, 1, 2]) t.same(rig.served(request, 'retry'), [])
  for (const [place, request] of [1, 2, 3, 4, 5, 6].entries()) t.equal(rig.position(request), place + 1)
  t.same(rig.timeline(1)?.slice(-3), ['0 requeued', '0 blocked:loading', '0 swap-started'])
  t.same(rig.ready(1), ['grant 4 A@h2', 'grant 5 A@h2', 'grant 6 A@h2'], 'whom the load was started for')
  t.same(rig.served(5), ['grant 1 A@h2'])
  t.same(rig.served(1, 'retry'), ['reject 1 upstream_unreachable', 'grant 2 A@h2'], 'two attempts, all causes together')
})

t.test('a request that may not be sent again ends there, and its place is not taken from anybody', async (t) => {
  const rig = fleetRig({ models: ['A'] })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.hostDown('h1')
  t.same(rig.served(1), [])
  t.same(rig.ready(1), ['grant 2 A@h2'])
})
