import t from 'tap'
import { model, Rig } from './rig.ts'

const LIMITS = { queueTimeoutMs: 900_000, drainTimeoutMs: 600_000 }
const policy = { use: 'fifo', fairAfterMs: 60_000 } as const

t.test('a tick is due for each rule that depends on time, the earliest first', (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], limits: LIMITS, policy })
  t.equal(rig.scheduler.nextTick(), undefined, 'nothing waits')
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  t.equal(rig.scheduler.nextTick(), undefined, 'nothing waits for time')
  rig.ask('B')
  t.equal(rig.scheduler.nextTick(), 60_000, 'overdue')
  rig.pass(60_000)
  t.equal(rig.scheduler.nextTick(), 600_000, 'the drain')
  rig.cancel(2)
  t.equal(rig.scheduler.nextTick(), undefined)
  t.end()
})

t.test('a tick is due at the end of a wait', (t) => {
  const rig = new Rig({ models: [model('A')], limits: { ...LIMITS, queueTimeoutMs: 1_000 }, policy })
  rig.pass(10)
  rig.ask('A')
  t.equal(rig.scheduler.nextTick(), 1_010)
  t.end()
})

t.test('a tick is due at the end of a cooldown, while somebody waits', (t) => {
  const rig = new Rig({ models: [model('A')], limits: LIMITS, policy })
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A')
  rig.pass(10)
  rig.crashed('A')
  t.equal(rig.scheduler.nextTick(), undefined)
  rig.served(1, 'retry')
  t.equal(rig.scheduler.nextTick(), 1_010)
  t.end()
})

t.test('a tick is due when an idle model is to be unloaded', (t) => {
  const rig = new Rig({ models: [model('A', { idleMs: 70 }), model('B', { idleMs: 50 })], policy })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  t.equal(rig.scheduler.nextTick(), 50)
  t.same(rig.pass(50), ['stop 1 B idle'])
  t.equal(rig.scheduler.nextTick(), 70)
  t.end()
})

t.test('a tick that comes early does nothing, and one that comes late does all that is due', (t) => {
  const models = [model('A', { idleMs: 70 }), model('B', { idleMs: 50 })]
  const rig = new Rig({ models, policy })
  rig.hostUp('local', [{ model: 'A' }, { model: 'B' }])
  rig.now = 49
  t.same(rig.tick(), [])
  rig.now = 500
  t.same(rig.tick(), ['stop 1 A B idle'])
  t.equal(rig.scheduler.nextTick(), undefined)
  t.end()
})
