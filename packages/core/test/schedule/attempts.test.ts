import t from 'tap'
import { MAX_ATTEMPTS } from '../../src/index.ts'
import { model, Rig } from './rig.ts'

t.test('a request gets two attempts at most, all causes together', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.ask('A')
  rig.ready(1)
  rig.pass(30_000)
  rig.crashed('A')
  t.same(rig.served(1, 'retry'), ['swap 2 A'])
  t.same(rig.ready(2), ['grant 1 A'])
  t.same(rig.served(1, 'retry'), ['reject 1 upstream_unreachable'])
  t.match(rig.failureOf(1)?.message, /A failed 2 times/)
  t.equal(MAX_ATTEMPTS, 2)
  t.end()
})

t.test('a request that is tried again goes back to its old place', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A')
  t.same(rig.served(1, 'retry'), ['grant 1 A'], 'before those that came after it')
  t.end()
})

t.test('its old place is behind a higher priority', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A', { priority: 1 })
  t.same(rig.served(1, 'retry'), ['grant 2 A'])
  t.same(rig.served(2), ['grant 1 A'])
  t.end()
})

t.test('its wait counts from its arrival', (t) => {
  const rig = new Rig({ models: [model('A')], limits: { queueTimeoutMs: 10_000 } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.pass(4_000)
  rig.crashed('A')
  rig.served(1, 'retry')
  rig.pass(1_000)
  t.same(rig.pass(5_000), ['reject 1 wait_exceeded'])
  t.end()
})

t.test('a request whose model left the configuration meanwhile is not tried again', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.reload({ models: [model('B')] })
  t.same(rig.served(1, 'retry'), ['reject 1 model_not_found'])
  t.end()
})

t.test('after a shutdown nothing is tried again', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.shutdown()
  t.same(rig.served(1, 'retry'), ['reject 1 shutting_down'])
  t.end()
})
