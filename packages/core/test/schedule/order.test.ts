import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('priority order: model priority, then request priority, then arrival', (t) => {
  const models = [model('X'), model('A'), model('B', { priority: 5 }), model('C')]
  const rig = new Rig({ models })
  rig.hostUp('local', [{ model: 'X' }])
  rig.ask('X')
  rig.ask('A')
  rig.ask('C', { priority: 3 })
  rig.ask('B', { priority: -50 })
  t.same(
    [2, 3, 4].map((request) => rig.position(request)),
    [3, 2, 1],
  )
  t.same(rig.served(1), ['swap 1 B -X'])
  rig.ready(1)
  t.same(rig.served(4), ['swap 2 C -B'])
  rig.ready(2)
  t.same(rig.served(3), ['swap 3 A -C'])
  t.end()
})

t.test('of equal models and priorities the earlier arrival goes first', (t) => {
  const rig = new Rig({ models: ['A', 'B', 'C'].map((id) => model(id)) })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('C')
  rig.ask('B')
  t.same(rig.served(1), ['swap 1 C -A'])
  t.end()
})

t.test('inside a model the request priority decides, then arrival', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  for (const priority of [0, -1, 7, 7]) rig.ask('A', { priority })
  const order: string[] = []
  for (const request of [1, 4, 5, 2, 3]) order.push(...rig.served(request))
  t.same(order, ['grant 4 A', 'grant 5 A', 'grant 2 A', 'grant 3 A'])
  t.end()
})

t.test('a position exists only while a request waits', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  t.equal(rig.position(1), undefined)
  t.equal(rig.position(2), 1)
  t.end()
})

t.test('positions follow what is overdue', (t) => {
  const models = [model('X'), model('A'), model('B', { priority: 5 })]
  const rig = new Rig({ models, policy: { use: 'fifo', fairAfterMs: 1_000 } })
  rig.hostUp('local', [{ model: 'X' }])
  rig.ask('X')
  rig.ask('A')
  rig.pass(500)
  rig.ask('B')
  t.equal(rig.position(2), 2)
  rig.pass(500)
  t.equal(rig.position(2), 1)
  t.equal(rig.position(3), 2)
  t.end()
})
