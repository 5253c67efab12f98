import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('the first waiters of a load, as many as it has slots, hold it until their grant', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 }), model('B', { priority: 9 })] })
  rig.ask('A')
  rig.ask('A')
  t.same(rig.ask('B', { priority: 100 }), [])
  t.equal(rig.cause(3), 'swap-running')
  t.same(rig.ready(1), ['grant 1 A', 'grant 2 A'])
  t.equal(rig.cause(3), 'draining')
  t.end()
})

t.test('those who join later are ordered like anyone', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ask('A')
  rig.ask('A', { priority: 5 })
  t.same(rig.ready(1), ['grant 1 A'], 'the lease comes before the priority')
  t.same(rig.served(1), ['grant 3 A'])
  t.same(rig.served(3), ['grant 2 A'])
  t.end()
})

t.test('a place that is free in a lease goes to whoever joins', (t) => {
  const rig = new Rig({ models: [model('A', { concurrencyLimit: 2 })] })
  rig.ask('A')
  rig.ask('A', { priority: -5 })
  rig.ask('A', { priority: 5 })
  t.same(rig.ready(1), ['grant 1 A', 'grant 2 A'])
  t.end()
})

t.test('the place of a waiter that left goes to the next in line, so that no load is in vain', (t) => {
  const rig = new Rig({ models: [model('A'), model('B', { priority: 9 })] })
  rig.ask('A')
  rig.ask('A')
  rig.ask('B')
  rig.cancel(1)
  t.same(rig.ready(1), ['grant 2 A'])
  t.end()
})

t.test('waiters that take no slot are served by their load, whoever else comes first', (t) => {
  const rig = new Rig({ models: [model('A'), model('B', { priority: 9 })] })
  rig.ask('A', { takesSlot: false })
  rig.ask('A', { takesSlot: false })
  rig.ask('B')
  t.same(rig.ready(1), ['grant 1 A', 'grant 2 A'])
  rig.served(1)
  t.same(rig.served(2), ['swap 2 B -A'])
  t.end()
})

t.test('an engine with fewer slots than leases serves as many as it can', (t) => {
  const { concurrencyLimit: _none, ...unlimited } = model('A')
  const rig = new Rig({ models: [unlimited] })
  for (let count = 1; count <= 4; count += 1) rig.ask('A')
  t.same(rig.ready(1, { slots: 2 }), ['grant 1 A', 'grant 2 A'])
  t.equal(rig.cause(3), 'slots-full')
  t.same(rig.served(2), ['grant 3 A'])
  t.end()
})

t.test('a replica serves ten at once where neither the config nor the engine says otherwise', (t) => {
  const { concurrencyLimit: _none, ...unlimited } = model('A')
  const rig = new Rig({ models: [unlimited] })
  for (let count = 1; count <= 11; count += 1) rig.ask('A')
  t.equal(rig.ready(1).length, 10)
  t.end()
})
