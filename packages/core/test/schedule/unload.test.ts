import t from 'tap'
import { group, modelId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const abc = (): Rig => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('unload drops what is queued for its targets and leaves the others', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  t.same(rig.unload(['A']), ['reject 2 unloaded', 'stop 1 A unload'])
  t.equal(rig.phase('A'), 'stopping')
  t.equal(rig.cause(3), 'draining', 'the running request may end')
  t.same(rig.served(1), ['swap 2 B -A'])
  t.same(rig.stopDone(1), ['answer 1'])
  t.end()
})

t.test('unload releases the waiters of a load and gives it up', (t) => {
  const rig = abc()
  rig.ask('B')
  t.same(rig.unload(['B']), ['reject 1 unloaded', 'abort 1', 'stop 2 B unload'])
  t.end()
})

t.test('a load is given up once, however often it is unloaded', (t) => {
  const rig = abc()
  rig.ask('B')
  rig.unload(['B'])
  t.same(rig.unload(['B']), ['stop 3 B unload'])
  t.end()
})

t.test('an unload is answered once, with what became of each of its targets', (t) => {
  const rig = abc()
  rig.hostUp('local', [{ model: 'A', sameAsBefore: true }, { model: 'B' }])
  rig.unload('all')
  t.same(rig.stopDone(1, ['B']), ['answer 1'])
  t.match(rig.commands.at(-1), {
    outcomes: [
      { placement: { model: 'A' }, outcome: 'stopped' },
      { placement: { model: 'B' }, outcome: 'stuck' },
    ],
  })
  t.end()
})

t.test('an unload during a load stays unloaded', (t) => {
  const rig = abc()
  rig.ask('B')
  rig.unload(['B'])
  t.same(rig.aborted(1), [])
  t.same(rig.stopDone(2), ['answer 1'])
  t.equal(rig.phase('B'), 'stopped')
  t.end()
})

t.test('an unload during a load stays unloaded when the abort comes too late', (t) => {
  const rig = abc()
  rig.ask('B')
  rig.unload(['B'])
  rig.ask('B')
  t.same(rig.ready(1), [], 'nobody is granted what is about to stop')
  t.equal(rig.phase('B'), 'stopping')
  t.same(rig.stopDone(2), ['answer 1', 'swap 3 B'])
  t.end()
})

t.test('a ready that the answer to its stop has overtaken is no process any more', (t) => {
  const rig = abc()
  rig.ask('B')
  rig.unload(['B'])
  rig.ask('B')
  t.same(rig.stopDone(2), ['answer 1'])
  t.same(rig.ready(1), ['swap 3 B'])
  t.end()
})

t.test('two loads after one unload start one process', (t) => {
  const rig = abc()
  rig.unload(['A'])
  t.same(rig.ask('A', { takesSlot: false }), [])
  t.same(rig.ask('A', { takesSlot: false }), [])
  t.equal(rig.cause(1), 'stopping')
  t.same(rig.stopDone(1), ['answer 1', 'swap 2 A'])
  t.same(rig.ready(2), ['grant 1 A', 'grant 2 A'])
  t.end()
})

t.test('an unload of what does not run is answered at once', (t) => {
  const rig = abc()
  t.same(rig.unload(['B']), ['answer 1'])
  t.same(rig.unload([]), ['answer 2'])
  t.end()
})

t.test('each of two unloads of one model is answered when it has stopped', (t) => {
  const rig = abc()
  rig.unload(['A'])
  t.same(rig.unload(['A']), ['stop 2 A unload'])
  t.same(rig.stopDone(1), ['answer 1', 'answer 2'])
  t.same(rig.ask('A'), [], 'the second stop is still under way')
  t.same(rig.stopDone(2), ['swap 3 A'])
  t.end()
})

t.test('unload --all stops everything; who waits is rejected', (t) => {
  const rig = abc()
  rig.ask('A')
  rig.ask('B')
  t.same(rig.unload('all'), ['reject 2 unloaded', 'stop 1 A unload'])
  t.end()
})

t.test('the running requests of an unload may go on for its drain time, and not at all when forced', (t) => {
  const rig = abc()
  rig.unload(['A'], { drainMs: 1_234 })
  t.match(rig.commands.at(-1), { type: 'stop', drainMs: 1_234 })
  const forced = abc()
  forced.unload(['A'], { force: true })
  t.match(forced.commands.at(-1), { type: 'stop', drainMs: 0 })
  t.end()
})

t.test('other models are served while one is unloaded', (t) => {
  const rig = new Rig({ models: [model('A'), model('B', { pinned: true })] })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.ask('A')
  rig.unload(['A'])
  t.same(rig.ask('B'), ['grant 2 B'])
  t.end()
})

t.test('an unload tells of a process that would not end', (t) => {
  const rig = abc()
  rig.unload(['A'])
  t.same(rig.stopDone(1, ['A']), ['answer 1'])
  t.match(rig.commands.at(-1), { outcomes: [{ outcome: 'stuck', failure: { code: 'stop_failed' } }] })
  t.end()
})

t.test('an unload of what a swap evicts lets no other swap evict it as well', (t) => {
  const together = group([
    { id: 'g', swap: false, exclusive: true, persistent: false, members: [modelId('A'), modelId('B')] },
  ])
  const rig = new Rig({ models: ['A', 'B', 'X'].map((id) => model(id)), swapper: together })
  rig.hostUp('local', [{ model: 'X' }])
  rig.ask('A')
  rig.ask('B')
  t.same(rig.unload(['X']), ['stop 2 X unload'])
  t.equal(rig.cause(2), 'swap-running')
  t.end()
})

t.test('an earlier stop outlasts a swap that leaves its victim alone', (t) => {
  const rig = abc()
  rig.unload(['A'])
  t.same(rig.ask('B'), ['swap 2 B -A'])
  rig.failed(2, { evictions: [{ model: model('A').id, outcome: 'kept' }] })
  t.same(rig.ask('A'), [], 'it is still being stopped')
  t.same(rig.stopDone(1), ['answer 1', 'swap 3 A'])
  t.end()
})
