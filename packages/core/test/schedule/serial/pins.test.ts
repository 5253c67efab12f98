import t from 'tap'
import { exclusive, group, matrix, memory, modelId, parseSets, type Swapper } from '../../../src/index.ts'
import { model } from '../rig.ts'
import { rigOf, serial } from './fixtures.ts'

const grouped = group([
  { id: 'g', swap: true, exclusive: true, persistent: false, members: [modelId('A'), modelId('B')] },
])

const either = (): Swapper => {
  const reading = parseSets({ sets: new Map([['s', 'A | B']]), model: (name) => modelId(name) })
  if (!reading.ok) throw new Error('the set is wrong')
  return matrix({ sets: reading.sets, evictCosts: new Map() })
}

const oneFits = memory({
  sizeOf: () => ({ bytes: 60, source: 'declared' }),
  budgetOf: () => new Map([['gpu', 100]]),
})

for (const swapper of [exclusive, grouped]) {
  t.test(`pins by hand: the model stays beside what is loaded, until it is unpinned: ${swapper.name}`, async (t) => {
    const rig = rigOf(['A', 'B'], {}, { swapper })
    rig.ask('A')
    rig.ready(1)
    rig.ask('B')
    t.equal(rig.cause(2), 'draining')
    t.same(rig.pin('A', true), ['swap 2 B'], 'waiters are looked at again')
    rig.ready(2)
    rig.served(1)
    rig.served(2)
    t.same(rig.unload(['B']), ['stop 3 B unload'])
    rig.stopDone(3)
    rig.pin('A', false)
    t.same(rig.ask('B'), ['swap 4 B -A'])
  })
}

for (const swapper of [either(), oneFits]) {
  t.test(
    `pins by hand: what can not run beside it is impossible, and the error names it: ${swapper.name}`,
    async (t) => {
      const rig = rigOf(['A', 'B'], {}, { swapper })
      rig.ask('A')
      rig.ready(1)
      rig.ask('B')
      t.equal(rig.cause(2), 'draining')
      t.same(rig.pin('A', true), ['reject 2 model_impossible'], 'waiters are looked at again')
      t.match(rig.failureOf(2)?.message, /\bA\b.*pinned/)
      t.same(rig.ask('B'), ['reject 3 model_impossible'])
      rig.pin('A', false)
      rig.served(1)
      t.same(rig.ask('B'), ['swap 2 B -A'])
    },
  )

  t.test(`pins by hand: a model whose load has begun is kept as well: ${swapper.name}`, async (t) => {
    const rig = rigOf(['A', 'B'], {}, { swapper })
    rig.ask('A')
    rig.cancel(1)
    rig.pin('A', true)
    t.same(rig.ask('B'), ['reject 2 model_impossible'], 'though nobody waits for the load')
  })
}

t.test('pins by hand: a pinned model is exempt from idle unload', async (t) => {
  const rig = rigOf([], {}, { models: [model('A', { idleMs: 1_000 })] })
  rig.ask('A')
  rig.ready(1)
  rig.served(1)
  rig.pin('A', true)
  t.same(rig.pass(10_000), [])
  rig.pin('A', false)
  t.same(rig.tick(), ['stop 2 A idle'])
})

t.test('pins by hand: they outlast a reload, and what was unpinned by hand does not', async (t) => {
  const models = [model('A'), model('B', { pinned: true }), model('C')]
  const rig = rigOf([], {}, { models })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.pin('A', true)
  rig.pin('B', false)
  rig.reload({ models, policy: serial() })
  t.same(rig.ask('C'), ['swap 1 C'])
})

t.test('pins by hand: a model that is not configured is no matter', async (t) => {
  const rig = rigOf(['A'])
  t.same(rig.pin('Z', true), [])
  t.equal(rig.phase('Z'), 'unknown')
})
