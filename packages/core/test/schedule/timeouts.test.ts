import t from 'tap'
import { model, Rig } from './rig.ts'

const busy = (limits = {}): Rig => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { drainTimeoutMs: 'never', ...limits } })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  return rig
}

t.test('a wait ends at queueTimeoutMs, 15 minutes by default', (t) => {
  const rig = busy()
  rig.ask('A')
  rig.pass(1_000)
  rig.ask('B')
  t.same(rig.pass(898_999), [])
  t.equal(rig.scheduler.nextTick(), 900_000)
  t.same(rig.pass(1), ['reject 2 wait_exceeded'])
  t.match(rig.failureOf(2), { message: /waited 900 s for A/, retryAfterMs: 5_000 })
  t.same(rig.pass(1_000), ['reject 3 wait_exceeded'])
  t.equal(rig.scheduler.nextTick(), undefined)
  t.end()
})

t.test('a timed out wait does not let its model load', (t) => {
  const rig = busy({ queueTimeoutMs: 1_000 })
  rig.ask('B')
  rig.pass(1_000)
  t.same(rig.served(1), [])
  t.end()
})

t.test('the wait for a load that hangs ends as well, and the load is given up for others', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: { queueTimeoutMs: 1_000 } })
  rig.ask('A')
  rig.pass(500)
  rig.ask('B')
  t.same(rig.pass(500), ['reject 1 wait_exceeded', 'abort 1', 'swap 2 B -A'])
  t.end()
})

t.test('the wait for a host that is away ends as well', (t) => {
  const rig = new Rig({ models: [model('A')], hosts: [] })
  t.same(rig.ask('A'), [])
  t.equal(rig.cause(1), 'no-host')
  t.same(rig.pass(900_000), ['reject 1 wait_exceeded'])
  t.end()
})
