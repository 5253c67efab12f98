import t from 'tap'
import { model, Rig } from './rig.ts'

t.test('full slots do not stop a request that takes none', (t) => {
  const rig = new Rig({ models: [model('A')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  t.same(rig.ask('A', { takesSlot: false }), ['grant 3 A'])
  t.equal(rig.inFlight('A'), 1)
  t.match(rig.scheduler.view(0).models.get('A')?.placements[0], { holding: 1 })
  t.same(rig.served(3), [], 'its end frees no slot')
  t.same(rig.served(1), ['grant 2 A'])
  t.end()
})

t.test('a request without a slot that is queued behind full slots is served in the same walk', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.ask('A')
  rig.ask('A', { takesSlot: false })
  t.same(rig.served(3, 'retry'), ['grant 3 A'])
  t.end()
})

t.test('how long it took is no measure of serving', (t) => {
  const rig = new Rig({ models: [model('A', { queueLimit: 0 })] })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A', { takesSlot: false })
  rig.pass(3)
  rig.served(1)
  rig.ask('A')
  rig.ask('A')
  t.equal(rig.failureOf(3)?.retryAfterMs, 5_000, 'nothing is measured yet')
  t.end()
})

t.test('a hold that ends lets those without a slot go at once, though the slots are full', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], policy: { use: 'fifo', fairAfterMs: 1_000 } })
  rig.ask('A')
  rig.ready(1)
  rig.ask('B')
  rig.pass(1_000)
  rig.ask('A')
  t.same(rig.ask('A', { takesSlot: false }), [], 'the overdue request keeps what it needs')
  t.same(rig.cancel(2), ['grant 4 A'])
  t.end()
})
