import t from 'tap'
import { group, modelId, type Failure } from '../../src/index.ts'
import { fleetRig } from './fleet-fixtures.ts'
import { model, Rig } from './rig.ts'

const OUT_OF_MEMORY: Failure = { code: 'out_of_memory', message: 'cudaMalloc failed: out of memory' }

const beside = group([
  {
    id: 'g',
    swap: false,
    exclusive: false,
    persistent: false,
    members: ['A', 'B', 'C', 'D'].map((id) => modelId(id)),
  },
])

const full = (more: { pinned?: string } = {}): Rig => {
  const models = ['A', 'B', 'C', 'D'].map((id) => model(id, { pinned: id === more.pinned }))
  const rig = new Rig({ models, swapper: beside })
  rig.hostUp('local', [{ model: 'B' }])
  rig.pass(10)
  rig.hostUp('local', [{ model: 'A' }, { model: 'B', sameAsBefore: true }])
  return rig
}

t.test('out of memory takes one more victim, the one unused the longest, and its waiters stay', (t) => {
  const rig = full()
  t.same(rig.ask('D'), ['swap 1 D'])
  t.same(rig.failed(1, { failure: OUT_OF_MEMORY }), ['swap 2 D -B'])
  t.equal(rig.cause(1), 'loading')
  t.same(rig.ready(2), ['grant 1 D'])
  t.equal(rig.phase('A'), 'ready')
  t.end()
})

t.test('out of memory takes one more victim only once, then it fails and cools down', (t) => {
  const rig = full()
  rig.ask('D')
  rig.failed(1, { failure: OUT_OF_MEMORY })
  t.same(rig.failed(2, { failure: OUT_OF_MEMORY }), ['reject 1 out_of_memory'])
  t.equal(rig.phase('A'), 'ready')
  t.same(rig.ask('D'), ['reject 2 out_of_memory'])
  t.end()
})

t.test('out of memory takes nobody that serves, and fails when nobody else is left', (t) => {
  const rig = full()
  rig.ask('B')
  rig.ask('D')
  t.same(rig.failed(1, { failure: OUT_OF_MEMORY }), ['swap 2 D -A'])
  const busy = full()
  busy.ask('A')
  busy.ask('B')
  busy.ask('D')
  t.same(busy.failed(1, { failure: OUT_OF_MEMORY }), ['reject 3 out_of_memory'])
  t.end()
})

t.test('out of memory takes no pinned one', (t) => {
  const rig = full({ pinned: 'B' })
  rig.ask('D')
  t.same(rig.failed(1, { failure: OUT_OF_MEMORY }), ['swap 2 D -A'])
  t.end()
})

t.test('out of memory takes nobody for a load that nobody waits for', (t) => {
  const rig = full()
  rig.ask('D')
  rig.cancel(1)
  t.same(rig.failed(1, { failure: OUT_OF_MEMORY }), [])
  t.equal(rig.phase('B'), 'ready')
  t.end()
})

t.test('out of memory takes nobody for a replica that only requests wait for that forbid loading', (t) => {
  const rig = fleetRig({ swapper: beside })
  rig.hostUp('h2', [{ model: 'B' }])
  rig.ask('A')
  rig.ready(1, { loadMs: 1_000 })
  rig.pass(400)
  rig.served(1)
  t.same(rig.ask('A'), ['grant 2 A@h1'])
  rig.ask('A')
  rig.ask('A')
  t.same(rig.ask('A'), ['swap 2 A@h2'])
  rig.ask('A', { noLoad: true })
  for (const left of [3, 4, 5]) rig.cancel(left)
  t.same(rig.failed(2, { failure: OUT_OF_MEMORY }), [])
  t.equal(rig.phase('B', 'h2'), 'ready')
  t.same(rig.served(2), ['grant 6 A@h1'])
  t.end()
})

t.test('a load that was given up takes no further victim, and fails nobody who came later', (t) => {
  const rig = full()
  rig.ask('D')
  rig.unload(['D'])
  rig.ask('D')
  t.same(rig.failed(1, { failure: OUT_OF_MEMORY }), [])
  t.equal(rig.phase('B'), 'ready')
  t.same(rig.stopDone(2), ['answer 1'])
  t.equal(rig.cause(2), 'cooldown')
  t.same(rig.pass(1_000), ['swap 3 D'])
  t.end()
})
