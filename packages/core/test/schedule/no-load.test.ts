import t from 'tap'
import { model, Rig } from './rig.ts'

const ab = (): Rig => new Rig({ models: [model('A'), model('B')] })

t.test('a request that forbids loading is refused when its model is not ready', (t) => {
  const rig = ab()
  t.same(rig.ask('A', { noLoad: true }), ['reject 1 model_not_loaded'])
  t.match(rig.failureOf(1), { hint: /lswap load A/ })
  rig.ask('A')
  t.same(rig.ask('A', { noLoad: true }), ['reject 3 model_not_loaded'], 'nor while it loads')
  t.end()
})

t.test('a request that forbids loading is served by a ready model, and waits for a slot', (t) => {
  const rig = ab()
  rig.hostUp('local', [{ model: 'A' }])
  t.same(rig.ask('A', { noLoad: true }), ['grant 1 A'])
  t.same(rig.ask('A', { noLoad: true }), [])
  t.same(rig.served(1), ['grant 2 A'])
  t.end()
})

t.test('a request that forbids loading starts nothing when its model goes while it waits', (t) => {
  const rig = ab()
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A', { noLoad: true })
  rig.pass(30_000)
  t.same(rig.crashed('A'), ['reject 2 model_not_loaded'])
  t.end()
})
