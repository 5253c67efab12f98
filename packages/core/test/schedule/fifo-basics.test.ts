import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('a request for a ready model with a free slot is granted in the same turn', async (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.ask('A'), ['grant 1 A'])
  // What takes no slot is decided on in the queue
  t.same(rig.ask('A', { takesSlot: false }), ['grant 2 A'])
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

t.test('eight alternating requests for two models with one slot load each model once', async (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  for (const id of ['A', 'B', 'A', 'B', 'A', 'B', 'A', 'B']) rig.ask(id)
  const commands = [rig.ready(1), ...[1, 3, 5, 7].map((request) => rig.served(request))].flat()
  t.same(commands, ['grant 1 A', 'grant 3 A', 'grant 5 A', 'grant 7 A', 'swap 2 B -A'])
  const rest = [rig.ready(2), ...[2, 4, 6, 8].map((request) => rig.served(request))].flat()
  t.same(rest, ['grant 2 B', 'grant 4 B', 'grant 6 B', 'grant 8 B'])
})

t.test('a higher priority is worth a swap all the same', async (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.ask('A')
  rig.ready(1)
  rig.ask('A')
  rig.ask('B', { priority: 1 })
  t.same(rig.served(1), ['swap 2 B -A'])
})
