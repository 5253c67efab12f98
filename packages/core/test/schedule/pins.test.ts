import t from 'tap'
import { exclusive, group, modelId } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

const models = [model('A', { pinned: true, idleMs: 1_000 }), model('B'), model('C')]
const grouped = group([
  { id: 'g', swap: true, exclusive: true, persistent: false, members: [modelId('A'), modelId('B')] },
])

for (const swapper of [exclusive, grouped]) {
  t.test(`a pinned model is never evicted: ${swapper.name}`, (t) => {
    const rig = new Rig({ models, swapper })
    rig.hostUp('local', [{ model: 'A' }])
    t.same(rig.ask('B'), ['swap 1 B'])
    rig.ready(1)
    rig.served(1)
    t.same(rig.ask('C'), ['swap 2 C -B'])
    t.end()
  })
}

t.test('a pinned model is exempt from idle unload', (t) => {
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.pass(100_000), [])
  t.equal(rig.scheduler.nextTick(), undefined)
  t.end()
})

t.test('unload --all leaves pinned models and their waiters unless it is forced', (t) => {
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.ask('A')
  rig.ask('A')
  t.same(rig.unload('all'), ['stop 1 B unload'])
  t.same(rig.unload('all', { force: true }), ['reject 2 unloaded', 'stop 2 A B unload'])
  t.end()
})

t.test('an unload that names a pinned model unpins it, until the configuration is read again', (t) => {
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.unload(['A']), ['stop 1 A unload'])
  rig.stopDone(1)
  rig.ask('A')
  rig.ready(2)
  rig.served(1)
  t.same(rig.ask('B'), ['swap 3 B -A'])
  rig.ready(3)
  rig.served(2)
  rig.reload({ models })
  rig.ask('A')
  rig.ready(4)
  rig.served(3)
  t.same(rig.ask('B'), ['swap 5 B'])
  t.end()
})

t.test('pinning a model re-evaluates the waiters', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('B')
  t.equal(rig.cause(2), 'draining')
  t.same(rig.reload({ models: [model('A', { pinned: true }), model('B')] }), ['swap 1 B'])
  t.end()
})
