import t from 'tap'
import { callerId, DEFAULT_SERIAL, requestId, restoreScheduler } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const LOOK = { takesSlot: false, passive: true } as const

const ready = (): Rig => {
  const rig = new Rig({ models: [model('A', { idleMs: 5_000 }), model('B')] })
  rig.hostUp('local', [{ model: 'A' }])
  return rig
}

t.test('what only looks at a ready model is served at once, past full slots and past holds', async (t) => {
  const rig = ready()
  rig.ask('A')
  rig.ask('B')
  rig.pass(61_000)
  rig.ask('A')
  t.same(rig.ask('A', { takesSlot: false }), [], 'the overdue request keeps what it needs')
  t.same(rig.ask('A', LOOK), ['grant 5 A'])
})

t.test('what only looks keeps no model from being evicted, and is closed then', async (t) => {
  const rig = ready()
  t.same(rig.ask('A', LOOK), ['grant 1 A'])
  t.match(rig.scheduler.view(0).models.get('A')?.placements[0], { inFlight: 0, holding: 0 })
  t.same(rig.ask('B'), ['close 1 evicted', 'swap 1 B -A'])
  t.same(rig.served(1), [])
  t.same(rig.ready(1), ['grant 2 B'])
})

t.test('what only looks is closed when its model is unloaded, however long others may go on', async (t) => {
  const rig = ready()
  rig.ask('A')
  rig.ask('A', LOOK)
  t.same(rig.unload(['A']), ['close 2 unloaded', 'stop 1 A unload'])
  t.same(rig.unload(['A']), ['stop 2 A unload'], 'once')
})

t.test('what only looks is no use of the model: it idles out, and what looked is closed', async (t) => {
  const rig = ready()
  rig.ask('A', LOOK)
  rig.pass(4_000)
  rig.served(1)
  rig.ask('A', LOOK)
  t.same(rig.pass(1_000), ['close 2 evicted', 'stop 1 A idle'])
})

t.test('what only looks loads its model like others, unless it forbids that', async (t) => {
  const rig = ready()
  t.same(rig.ask('B', { ...LOOK, noLoad: true }), ['reject 1 model_not_loaded'])
  t.same(rig.ask('B', LOOK), ['swap 1 B -A'])
  t.same(rig.ask('B', { ...LOOK, noLoad: true }), ['reject 3 model_not_loaded'], 'nor while it loads')
  t.same(rig.ready(1), ['grant 2 B'])
  t.same(rig.ask('A'), ['close 2 evicted', 'swap 2 A -B'])
})

t.test('what only looks does not count towards the limit of its caller', async (t) => {
  const rig = ready()
  const mine = { caller: callerId('k1'), callerLimit: 1 }
  rig.ask('A', { ...LOOK, ...mine })
  t.same(rig.ask('A', mine), ['grant 2 A'])
  t.same(rig.ask('A', { ...LOOK, ...mine }), ['grant 3 A'])
  rig.ask('A', mine)
  t.equal(rig.cause(4), 'caller-cap')
  t.same(rig.served(3), [])
  t.equal(rig.cause(4), 'caller-cap')
  t.same(rig.served(2), ['grant 4 A'])
})

t.test('what only looks is tried again at once, and where nothing is ready any more it is refused', async (t) => {
  const rig = ready()
  rig.ask('A', { ...LOOK, noLoad: true })
  rig.ask('A', { ...LOOK, noLoad: true })
  t.same(rig.served(1, 'retry'), ['grant 1 A'])
  rig.crashed('A')
  t.same(rig.served(2, 'retry'), ['reject 2 model_not_loaded'])
  t.same(rig.served(1, 'retry'), ['reject 1 upstream_unreachable'])
})

t.test('what only looked and is queued again counts like others', async (t) => {
  const rig = ready()
  const mine = { caller: callerId('k1'), callerLimit: 1 }
  rig.ask('A', { ...LOOK, ...mine })
  rig.ask('A', mine)
  rig.ask('A', mine)
  rig.crashed('A')
  t.same(rig.served(1, 'retry'), [])
  t.equal(rig.cause(1), 'caller-cap')
  t.same(rig.served(2), [])
  t.same([rig.cause(1), rig.cause(3)], ['cooldown', 'caller-cap'])
})

t.test('what only looked and is queued again has its place by when it came', async (t) => {
  const rig = new Rig({ models: [model('A'), model('B')], policy: DEFAULT_SERIAL })
  rig.hostUp('local', [{ model: 'A' }])
  rig.pass(60_000)
  rig.ask('A', LOOK)
  rig.ask('B')
  t.same(rig.served(1, 'retry'), [])
  rig.ask('A', { priority: 5 })
  t.same([rig.scheduler.positionOf(requestId(3)), rig.scheduler.positionOf(requestId(1))], [1, 3])
})

t.test('a shutdown closes what only looks, and lets nothing look any more', async (t) => {
  const rig = ready()
  rig.ask('A')
  rig.ask('A', LOOK)
  t.same(rig.shutdown(), ['close 2 shutting_down'])
  t.same(rig.ask('A', LOOK), ['reject 3 shutting_down'])
})

t.test('what only looks does not count in a scheduler that is restored either', async (t) => {
  const options = { models: [model('A')] }
  const mine = { caller: callerId('k1'), callerLimit: 1 }
  const rig = new Rig(options)
  rig.hostUp('local', [{ model: 'A' }])
  rig.ask('A', { ...LOOK, ...mine })
  const restored = restoreScheduler(rigOptions(options), JSON.parse(JSON.stringify(rig.scheduler.snapshot())))
  const later = new Rig({ ...options, hosts: [] }, restored)
  later.upcoming = rig.upcoming
  t.same(later.ask('A', mine), ['grant 2 A'])
  t.same(later.unload(['A']), ['close 1 unloaded', 'stop 1 A unload'])
})
