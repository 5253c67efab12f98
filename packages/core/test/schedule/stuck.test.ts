import t from 'tap'
import { model, Rig } from './rig.ts'

const failure = { code: 'stop_failed', message: 'A would not end' } as const

const stuckA = (): Rig => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  rig.failed(1, { failure, evictions: [{ model: model('A').id, outcome: 'stuck', failure }] })
  return rig
}

t.test('a process that would not end blocks swaps on its host, with that cause', (t) => {
  const rig = stuckA()
  t.equal(rig.phase('A'), 'stuck')
  t.same(rig.ask('B'), [])
  t.match(rig.scheduler.causeOf(2 as never), { type: 'stuck', placement: { model: 'A' }, failure })
  t.same(rig.ask('A'), [], 'nor is it started a second time')
  t.equal(rig.cause(3), 'stuck')
  t.end()
})

t.test('an agent that names no reason leaves a stuck process as well', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  rig.failed(1, { failure, evictions: [{ model: model('A').id, outcome: 'stuck' }] })
  t.equal(rig.phase('A'), 'stuck')
  t.end()
})

t.test('what would not end for a stop is stuck, though a swap that came later leaves it as it is', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.unload(['A']), ['stop 1 A unload'])
  t.same(rig.ask('B'), ['swap 2 B -A'])
  rig.ask('A')
  t.same(rig.stopDone(1, ['A']), ['answer 1'])
  t.same(rig.failed(2, { evictions: [{ model: model('A').id, outcome: 'kept' }] }), ['reject 1 start_failed'])
  t.equal(rig.cause(2), 'stuck')
  t.end()
})

t.test('what would not end for a swap that was given up is stuck, though the next one leaves it as it is', (t) => {
  const rig = new Rig({ models: [model('A'), model('B'), model('C')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  rig.cancel(1)
  t.same(rig.ask('C'), ['abort 1', 'swap 2 C -A -B'])
  rig.ask('A')
  rig.failed(1, { failure, evictions: [{ model: model('A').id, outcome: 'stuck', failure }] })
  t.same(rig.failed(2, { evictions: [{ model: model('A').id, outcome: 'kept' }] }), ['reject 2 start_failed'])
  t.equal(rig.cause(3), 'stuck')
  t.end()
})

t.test('what would not end for a stop is free when a swap that came later ends it', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.unload(['A'])
  rig.ask('B')
  rig.stopDone(1, ['A'])
  t.equal(rig.phase('A'), 'stuck')
  t.same(rig.ready(2), ['grant 1 B'])
  t.equal(rig.phase('A'), 'stopped')
  t.end()
})

t.test('an unload tries again to end it, and swaps go on when it did', (t) => {
  const rig = stuckA()
  rig.ask('B')
  t.same(rig.unload(['A']), ['stop 2 A unload'])
  t.same(rig.stopDone(2), ['answer 1', 'swap 3 B'])
  t.end()
})

t.test('when it ends after all, swaps go on', (t) => {
  const rig = stuckA()
  rig.ask('B')
  t.same(rig.crashed('A', { olderBy: 1 }), [], 'an older start is not meant')
  t.same(rig.crashed('A'), ['swap 2 B'])
  t.end()
})

t.test('its end starts no cooldown', (t) => {
  const rig = stuckA()
  rig.crashed('A')
  t.same(rig.ask('A'), ['swap 2 A'])
  t.end()
})

t.test('what it served is counted until it ends', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { drainTimeoutMs: 1_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  rig.pass(1_000)
  rig.failed(1, { failure, evictions: [{ model: model('A').id, outcome: 'stuck', failure }] })
  t.equal(rig.inFlight('A'), 1)
  rig.served(1)
  t.equal(rig.inFlight('A'), 0)
  t.end()
})
