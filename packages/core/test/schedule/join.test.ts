import t from 'tap'
import { group } from '../../src/index.ts'
import { modelId } from '../../src/ids.ts'
import { model, Rig } from './rig.ts'

/** Models that stay beside each other, except that `swap` groups keep one member at a time. */
const teams = (...members: string[][]) =>
  group(
    members.map((ids, place) => ({
      id: `g${place}`,
      swap: true,
      exclusive: false,
      persistent: false,
      members: ids.map((id) => modelId(id)),
    })),
  )

/** A and B stay beside each other and evict everything else. */
const together = group([
  { id: 'g', swap: false, exclusive: true, persistent: false, members: [modelId('A'), modelId('B')] },
])

t.test('a request joins the running swap of its model', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 })] })
  t.same(rig.ask('A'), ['swap 1 A'])
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(2), 'loading')
  t.same(rig.ready(1), ['grant 1 A', 'grant 2 A'])
  t.end()
})

t.test('disjoint swaps run in parallel', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'C', 'D'].map((id) => model(id)), swapper: teams(['A', 'B'], ['C', 'D']) })
  rig.hostUp('local', [{ model: 'A' }, { model: 'C' }])
  t.same(rig.ask('B'), ['swap 1 B -A'])
  t.same(rig.ask('D'), ['swap 2 D -C'])
  t.same(rig.ready(2), ['grant 2 D'])
  t.same(rig.ready(1), ['grant 1 B'])
  t.end()
})

t.test('overlapping evict sets serialise', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.ask('B'), ['swap 1 B -A'])
  t.same(rig.ask('C'), [], 'it would stop A as well')
  t.equal(rig.cause(2), 'swap-running')
  t.same(rig.ready(1), ['grant 1 B'])
  t.same(rig.served(1), ['swap 2 C -B'])
  t.end()
})

t.test('overlapping evict sets serialise, also of models that may live side by side', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'X'].map((id) => model(id)), swapper: together })
  rig.hostUp('local', [{ model: 'X' }])
  t.same(rig.ask('A'), ['swap 1 A -X'])
  t.same(rig.ask('B'), [])
  t.equal(rig.cause(2), 'swap-running')
  t.same(rig.ready(1), ['grant 1 A', 'swap 2 B'])
  t.end()
})

t.test('a model that a running swap stops waits for it to have stopped', (t) => {
  const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('B')
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(2), 'stopping')
  t.equal(rig.phase('A'), 'stopping')
  rig.ready(1)
  t.same(rig.served(1), ['swap 2 A -B'])
  t.end()
})

t.test('several are promoted by one drain: the first evicts, the others follow without another drain', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'X'].map((id) => model(id)), swapper: together })
  rig.hostUp('local', [{ model: 'X' }])
  rig.ask('X')
  t.same([...rig.ask('A'), ...rig.ask('B')], [])
  t.same(rig.served(1), ['swap 1 A -X'])
  t.same(rig.ready(1), ['grant 2 A', 'swap 2 B'])
  t.same(rig.ready(2), ['grant 3 B'])
  t.end()
})

t.test('a swap error fails its waiters and only them', (t) => {
  const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)) })
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  t.same(rig.failed(1), ['reject 1 start_failed', 'reject 2 start_failed', 'swap 2 B'])
  t.equal(rig.failureOf(1)?.message, 'exit code 1')
  t.end()
})

t.test('a failed grant leaks no count', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.equal(rig.inFlight('A'), 1)
  t.same(rig.served(1, 'retry'), ['grant 1 A'])
  rig.served(1)
  t.equal(rig.inFlight('A'), 0)
  t.same(rig.served(1), [], 'a second end is ignored')
  t.equal(rig.inFlight('A'), 0)
  t.end()
})

t.test('a wake-up is not lost: two models requested in the same tick with a third idle', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'C' }])
  t.same(rig.ask('A'), ['swap 1 A -C'])
  t.same(rig.ask('B'), [])
  t.same(rig.ready(1), ['grant 1 A'])
  t.same(rig.served(1), ['swap 2 B -A'])
  t.same(rig.ready(2), ['grant 2 B'])
  t.end()
})

t.test('A B A B … ends, and every load serves at least one request', (t) => {
  const rig = new Rig({ models: ['A', 'B'].map((id) => model(id)) })
  let made = rig.ask('A')
  let grants = 0
  let asked = 1
  for (let swap = 1; swap <= 20; swap += 1) {
    t.match(made.at(-1), new RegExp(`^swap ${swap} `))
    made = rig.ready(swap)
    t.match(made[0], /^grant/, `load ${swap} serves`)
    grants += 1
    if (asked < 20) {
      rig.ask(asked % 2 === 1 ? 'B' : 'A')
      asked += 1
    }
    made = rig.served(grants)
  }
  t.equal(grants, 20)
  t.same(made, [])
  t.end()
})
