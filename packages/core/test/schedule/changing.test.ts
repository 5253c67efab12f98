import t from 'tap'
import { modelId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

// Agents start and end processes on their own account too: their file changed, somebody's own hand did it, an order got lost.

const changingA = (...more: Parameters<typeof model>[1][]): Rig => {
  const rig = new Rig({ models: [model('A', ...more), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }])
  return rig
}

t.test('a process that its agent ends is still there: nothing is started beside it that could not stay', (t) => {
  const rig = changingA()
  t.equal(rig.phase('A'), 'stopping')
  t.same(rig.ask('B'), ['swap 1 B -A'])
  t.same(rig.ready(1), ['grant 1 B'])
  t.equal(rig.phase('A'), 'stopped')
  t.end()
})

t.test('what it serves is counted, and a swap waits for that', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }])
  t.equal(rig.inFlight('A'), 1)
  t.same(rig.ask('B'), [])
  t.equal(rig.cause(2), 'draining')
  t.same(rig.served(1), ['swap 1 B -A'])
  t.end()
})

t.test('a drain that somebody waits for already is not timed anew', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { drainTimeoutMs: 1_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(900)
  rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }])
  t.same(rig.pass(100), ['swap 1 B -A'])
  t.end()
})

t.test('its model is neither served by it nor started beside it, until a list without it comes', (t) => {
  const rig = changingA()
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'stopping')
  t.same(rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }]), [], 'it is still there')
  t.same(rig.hostUp('local'), ['swap 1 A'])
  t.end()
})

t.test('one that was on its way up serves when a list says that it is ready', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [], [{ model: 'A' }])
  t.same(rig.ask('A'), [])
  t.same(rig.hostUp('local', [{ model: 'A', sameAsBefore: true }]), ['grant 1 A'])
  t.end()
})

t.test('pinned or not, nobody keeps what its agent ends', (t) => {
  const rig = changingA({ pinned: true })
  t.same(rig.ask('B'), ['swap 1 B -A'])
  t.end()
})

t.test('a start that was refused does not make it ready again', (t) => {
  const rig = changingA()
  rig.ask('B')
  rig.failed(1, { evictions: [{ model: model('A').id, outcome: 'kept' }] })
  t.equal(rig.phase('A'), 'stopping')
  t.same(rig.ask('A'), [])
  t.end()
})

t.test('what a stop of ours is ending already is not taken for gone', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.unload(['A'])
  rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }])
  t.same(rig.ask('B'), ['swap 2 B -A'])
  t.end()
})

t.test('one that a stop could not end is stuck, and free when a list does not know it any more', (t) => {
  const rig = changingA()
  rig.unload(['A'])
  rig.ask('B')
  rig.stopDone(1, ['A'])
  t.equal(rig.phase('A'), 'stuck')
  rig.hostUp('local', [], [{ model: 'A', sameAsBefore: true }])
  t.equal(rig.phase('A'), 'stuck', 'why is known already')
  rig.hostUp('local')
  t.equal(rig.phase('A'), 'stopped')
  t.end()
})

t.test('its end by itself frees it', (t) => {
  const rig = changingA()
  rig.ask('A')
  t.same(rig.crashed('A', { olderBy: 1 }), [])
  t.same(rig.crashed('A'), ['swap 1 A'])
  t.end()
})

t.test('the load that a swap of ours runs is not taken for another one', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  t.same(rig.hostUp('local', [], [{ model: 'A' }]), [])
  t.same(rig.ready(1), ['grant 1 A'])
  t.end()
})

t.test('a process that was started as something else than is configured by now is stopped', (t) => {
  const rig = new Rig({ models: [model('A')] })
  t.same(rig.hostUp('local', [{ model: 'A', startedAs: 'run another A' }]), ['stop 1 A changed'])
  t.end()
})

t.test('a process that is said to end gets nothing more, before a list says so', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.leaves('A'), [])
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'stopping')
  t.same(rig.hostUp('local'), ['swap 1 A'])
  t.end()
})

t.test('what is said of an earlier start, or of an end that was ordered here, changes nothing', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.leaves('A', { olderBy: 1 })
  t.same(rig.ask('A'), ['grant 1 A'])
  rig.served(1)
  t.same(rig.ask('B'), ['swap 1 B -A'])
  rig.leaves('A')
  t.same(rig.failed(1, { evictions: [{ model: modelId('A'), outcome: 'kept' }] }), ['reject 2 start_failed'])
  t.same(rig.ask('A'), ['grant 3 A'], 'it was kept, as the answer says')
  t.end()
})
