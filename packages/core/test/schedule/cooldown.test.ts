import t from 'tap'
import { hostId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const two = (): Rig => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('a model in cooldown evicts nobody: it is refused at once with the error of its last start', (t) => {
  const rig = two()
  rig.ask('B')
  rig.failed(1, { evictions: [{ model: model('A').id, outcome: 'kept' }] })
  rig.pass(400)
  t.same(rig.ask('B'), ['reject 2 start_failed'])
  t.equal(rig.failureOf(2)?.message, 'exit code 1')
  t.equal(rig.failureOf(2)?.retryAfterMs, 600)
  t.match(rig.failureOf(2)?.hint, /earlier start: the next one is tried in 1 s/)
  t.equal(rig.phase('A'), 'ready')
  t.same(rig.ask('A'), ['grant 3 A'])
  t.end()
})

t.test('an eviction that was not carried out leaves the victim serving', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { drainTimeoutMs: 1_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.pass(1_000), ['swap 1 B -A'])
  t.same(rig.failed(1, { evictions: [{ model: model('A').id, outcome: 'kept' }] }), ['reject 2 start_failed'])
  t.equal(rig.inFlight('A'), 1)
  t.equal(rig.phase('A'), 'ready')
  rig.ask('A')
  t.same(rig.served(1), ['grant 3 A'])
  t.end()
})

t.test('the cooldown is 1 s and doubles up to 60 s', (t) => {
  const rig = new Rig({ models: [model('A')] })
  for (const [place, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    t.same(rig.ask('A').length, 1, `start ${place + 1}`)
    rig.failed(place + 1)
    rig.pass(seconds * 1_000 - 1)
    t.match(rig.ask('A')[0], /start_failed/, `still refused just before ${seconds} s`)
    rig.pass(1)
  }
  t.end()
})

t.test('a crash within 30 s of ready starts a cooldown, which waiters wait out and new requests do not', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.pass(29_999)
  t.same(rig.crashed('A'), [])
  t.equal(rig.cause(2), 'cooldown')
  t.same(rig.ask('A'), ['reject 3 upstream_died'])
  t.same(rig.served(1), [])
  t.equal(rig.scheduler.nextTick(), 30_999)
  t.same(rig.pass(1_000), ['swap 2 A'])
  t.same(rig.ready(2), ['grant 2 A'])
  t.end()
})

t.test('a model that crashes after 30 s is started again by the next request', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  rig.pass(30_000)
  rig.crashed('A')
  t.same(rig.ask('A'), ['swap 2 A'])
  t.end()
})

t.test('a steady life forgives earlier failures', (t) => {
  const rig = two()
  rig.ask('B')
  rig.failed(1)
  rig.pass(1_000)
  rig.ask('B')
  rig.ready(2)
  rig.served(2)
  rig.pass(30_000)
  rig.ask('A')
  rig.ready(3)
  rig.served(3)
  rig.ask('B')
  rig.failed(4)
  rig.pass(1_000)
  t.same(rig.ask('B'), ['swap 5 B'], 'one second again, not two')
  t.end()
})

t.test('a neighbour that would not end starts no cooldown of the model itself', (t) => {
  const rig = two()
  rig.ask('B')
  const failure = { code: 'stop_failed', message: 'A would not end' } as const
  rig.failed(1, { failure, evictions: [{ model: model('A').id, outcome: 'stopped' }] })
  t.same(rig.ask('B'), ['swap 2 B'])
  t.end()
})

t.test('a host that lets every load of a model be serves the others in between, longer each time', (t) => {
  const rig = two()
  const lost = { failure: { code: 'host_unreachable', message: 'no answer' }, unanswered: true } as const
  t.same(rig.ask('B'), ['swap 1 B -A'])
  for (const [at, coolMs] of [1_000, 2_000, 4_000].entries()) {
    const number = at + 1
    rig.hostDown('local')
    t.same(rig.failed(number, { ...lost, evictions: [{ model: model('A').id, outcome: 'kept' }] }), [])
    rig.hostUp('local', [{ model: 'A', sameAsBefore: true }])
    t.equal(rig.cause(1), 'cooldown', 'its waiter waits that out')
    const neighbour = rig.upcoming
    t.same(rig.ask('A'), [`grant ${neighbour} A`])
    rig.served(neighbour)
    t.same(rig.ask('B'), [`reject ${neighbour + 1} host_unreachable`], 'who comes now is told')
    t.same(rig.pass(coolMs - 1), [])
    t.same(rig.pass(1), [`swap ${number + 1} B -A`])
  }
  t.same(rig.ready(4), ['grant 1 B'])
  t.end()
})

t.test('another host takes a load that one let be, at once and while that cools down', (t) => {
  const hosts = ['left', 'right']
  const both = model('A', { hosts: hosts.map((id) => hostId(id)) })
  const rig = new Rig({ models: [both], hosts })
  rig.ask('A')
  rig.hostDown('left')
  const failure = { code: 'host_unreachable', message: 'no answer' } as const
  t.same(rig.failed(1, { failure, unanswered: true }), ['swap 2 A@right'])
  rig.hostUp('left')
  rig.ready(2)
  rig.served(1)
  rig.unload(['A'])
  rig.stopDone(3)
  t.same(rig.ask('A'), ['swap 4 A@right'], 'left is first by its name, and cools down')
  t.end()
})

t.test('a changed command leaves the cooldown of the old one', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.failed(1)
  rig.reload({ models: [model('A', { commandHash: 'another' })] })
  t.same(rig.ask('A'), ['swap 2 A'])
  t.end()
})

t.test('an unload while it cools down does not shorten it', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.failed(1)
  t.same(rig.unload(['A']), ['answer 1'])
  t.same(rig.ask('A'), ['reject 2 start_failed'])
  t.end()
})

t.test('a model that its agent starts from another definition is left alone there no longer', (t) => {
  const there = { hosts: [hostId('gpu')], definedAt: [hostId('gpu')] }
  const rig = new Rig({ models: [model('A', there), model('B', there)], hosts: ['gpu'] })
  rig.ask('A')
  t.same(rig.failed(1), ['reject 1 start_failed'])
  t.same(rig.redefined('gpu', 'B', 'unknown'), [])
  t.same(rig.redefined('elsewhere', 'A'), [])
  t.same(rig.ask('A'), ['reject 2 start_failed'])
  t.same(rig.redefined('gpu', 'A'), [])
  t.same(rig.ask('A'), ['swap 2 A@gpu'])
  t.end()
})
