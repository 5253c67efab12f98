import t from 'tap'
import { exclusive, hostId, restoreScheduler, type Swapper } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { model, Rig } from './rig.ts'

const options = { models: [model('A', { restoreMs: 5_000 }), model('B'), model('C')], swapper: exclusive }

/** B is loaded and has served one request; it ended now. */
const afterB = (more: Partial<ConstructorParameters<typeof Rig>[0]> = {}): Rig => {
  const rig = new Rig({ ...options, ...more })
  rig.ask('B')
  rig.ready(1)
  rig.served(1)
  return rig
}

const restoreAt = (rig: Rig): number | undefined => rig.scheduler.view(rig.now).models.get('A')?.restoreAt

t.test('a model comes back when what took its place was not used for so long', (t) => {
  const rig = afterB()
  rig.pass(1_000)
  rig.ask('B')
  rig.pass(20_000)
  rig.served(2)
  t.equal(restoreAt(rig), 26_000)
  t.equal(rig.scheduler.nextTick(), 26_000)
  t.same(rig.pass(4_999), [])
  t.same(rig.pass(1), ['swap 2 A -B'])
  t.match(rig.commands.at(-1), { reason: 'restore' })
  rig.ready(2)
  t.equal(rig.scheduler.nextTick(), undefined, 'it is there')
  t.equal(restoreAt(rig), undefined)
  t.same(rig.pass(1_000_000), [])
  t.end()
})

t.test('it is loaded for the first time, too, and again after a crash or the idle unload of another', (t) => {
  const rig = new Rig({
    ...options,
    models: [model('A', { restoreMs: 5_000, idleMs: 1_000 }), model('B', { idleMs: 1_000 })],
  })
  t.same(rig.pass(5_000), ['swap 1 A'])
  rig.ready(1)
  t.same(rig.pass(40_000), [], 'its own idle time does not count')
  rig.crashed('A')
  t.same(rig.pass(5_000), ['swap 2 A'])
  rig.ready(2)
  rig.ask('B')
  rig.ready(3)
  rig.served(1)
  t.same(rig.pass(1_000), ['stop 4 B idle'])
  rig.stopDone(4)
  t.same(rig.pass(4_999), [])
  t.same(rig.pass(1), ['swap 5 A'])
  t.end()
})

t.test('never while somebody waits, and whoever comes meanwhile takes the room back', (t) => {
  const rig = afterB({ models: [model('A', { restoreMs: 5_000 }), model('B', { concurrencyLimit: 1 }), model('C')] })
  rig.pass(4_000)
  rig.ask('B')
  rig.ask('B')
  t.same(rig.pass(60_000), [])
  t.equal(restoreAt(rig), undefined)
  rig.served(2)
  rig.served(3)
  t.same(rig.pass(5_000), ['swap 2 A -B'])
  t.same(rig.ask('C'), ['abort 2', 'swap 3 C -A -B'])
  t.end()
})

t.test('it evicts no pinned model, and none that comes back itself', (t) => {
  const pinned = afterB()
  pinned.pin('B', true)
  t.same(pinned.pass(100_000), ['swap 2 A'], 'the exclusive swapper leaves it there')
  const both = afterB({ models: [model('A', { restoreMs: 5_000 }), model('B', { restoreMs: 9_000 })] })
  t.same(both.pass(100_000), [])
  t.end()
})

t.test('what may stay beside it does not keep it away', (t) => {
  const swapper: Swapper = { name: 'all fits', plan: () => ({ type: 'evict', models: [], reason: '' }) }
  const rig = new Rig({ ...options, swapper })
  rig.ask('B')
  rig.ready(1)
  t.same(rig.pass(4_999), [])
  t.same(rig.pass(1), ['swap 2 A'])
  t.end()
})

t.test('it comes after those who wait for another model of the host, also where both would fit', (t) => {
  const swapper: Swapper = { name: 'all fits', plan: () => ({ type: 'evict', models: [], reason: '' }) }
  const rig = new Rig({ ...options, swapper })
  rig.hostUp('local', [{ model: 'C' }])
  rig.unload(['C'])
  rig.ask('C')
  t.same(rig.pass(20_000), [])
  t.equal(rig.cause(1), 'stopping')
  t.same(rig.stopDone(1), ['answer 1', 'swap 2 C'])
  t.end()
})

t.test('where it can not be loaded it does not come back', (t) => {
  const swapper: Swapper = { name: 'no room', plan: () => ({ type: 'impossible', blockers: [], reason: '' }) }
  const rig = new Rig({ ...options, swapper })
  t.equal(rig.scheduler.nextTick(), undefined)
  t.same(rig.pass(100_000), [])
  t.end()
})

t.test('several come back one after the other, in the order of the configuration', (t) => {
  const swapper: Swapper = { name: 'all fits', plan: () => ({ type: 'evict', models: [], reason: '' }) }
  const rig = new Rig({ models: [model('A', { restoreMs: 5_000 }), model('B', { restoreMs: 5_000 })], swapper })
  t.same(rig.pass(5_000), ['swap 1 A'])
  t.same(rig.pass(5_000), ['swap 2 B'])
  t.end()
})

t.test(
  'one that was unloaded, or broke, stays away until somebody asks for it or the configuration is read again',
  (t) => {
    const rig = afterB()
    t.same(rig.pass(5_000), ['swap 2 A -B'])
    rig.failed(2)
    t.same(rig.pass(1_000_000), [], 'it evicts nobody in vain twice')
    rig.ask('A')
    rig.ready(3)
    rig.served(2)
    rig.unload(['A'])
    rig.stopDone(4)
    t.same(rig.pass(1_000_000), [])
    rig.reload(options)
    t.same(rig.pass(0), ['swap 5 A'])
    t.end()
  },
)

t.test('an unload of another model does not count', (t) => {
  const rig = afterB()
  rig.unload(['B'])
  rig.stopDone(2)
  t.same(rig.pass(5_000), ['swap 3 A'])
  t.end()
})

t.test('in a fleet it comes back where it is quiet first', (t) => {
  const models = [
    model('A', { restoreMs: 5_000, hosts: [hostId('h1'), hostId('h2')] }),
    model('B', { hosts: [hostId('h1')] }),
  ]
  const rig = new Rig({ models, swapper: exclusive, hosts: ['h1', 'h2'] })
  rig.pass(1_000)
  rig.ask('B')
  rig.ready(1)
  t.same(rig.pass(4_000), ['swap 2 A@h2'])
  t.end()
})

t.test('a snapshot keeps who was sent away', (t) => {
  const rig = afterB()
  rig.unload(['A'])
  const restored = restoreScheduler(rigOptions(options), JSON.parse(JSON.stringify(rig.scheduler.snapshot())))
  t.equal(restored.nextTick(), undefined)
  t.equal(rig.scheduler.nextTick(), undefined)
  t.end()
})
