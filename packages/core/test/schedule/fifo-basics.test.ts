import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('a request for a ready model with a free slot is granted in the same turn', async (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.ask('A'), ['grant 1 A'])
})

t.test('fifty cold requests start one swap, and all are served', async (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 50 })] })
  const first = rig.ask('A')
  t.same(first, ['swap 1 A'])
  for (let count = 2; count <= 50; count += 1) t.same(rig.ask('A'), [])
  t.equal(rig.ready(1).length, 50)
})

t.test('same-model requests are served together: A B C A B C becomes A A B B C C', async (t) => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id, { concurrencyLimit: 2 })) })
  for (const id of ['A', 'B', 'C', 'A', 'B', 'C']) rig.ask(id)
  t.same(rig.ready(1), ['grant 1 A', 'grant 4 A'])
  rig.served(1)
  t.same(rig.served(4), ['swap 2 B -A'])
  t.same(rig.ready(2), ['grant 2 B', 'grant 5 B'])
  rig.served(2)
  t.same(rig.served(5), ['swap 3 C -B'])
  t.same(rig.ready(3), ['grant 3 C', 'grant 6 C'])
})
