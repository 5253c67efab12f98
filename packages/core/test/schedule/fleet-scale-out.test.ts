import t from 'tap'
import { createPicker, modelId } from '../../src/index.ts'
import { fleetRig, sample } from './fleet-fixtures.ts'
import type { Rig } from './rig.ts'

/** A is ready on h1 and serves request 2; a load took 1 s and a request 400 ms. Two that wait take 800 ms. */
const warm = (rig: Rig): Rig => {
  rig.ask('A')
  rig.ready(1, { loadMs: 1_000 })
  rig.pass(400)
  rig.served(1)
  rig.ask('A')
  return rig
}

const askTimes = (rig: Rig, count: number): string[] => {
  const made: string[] = []
  for (let place = 0; place < count; place += 1) made.push(...rig.ask('A'))
  return made
}

t.test('one more replica starts when the queue takes longer than its load, and not before', async (t) => {
  const rig = warm(fleetRig())
  t.same(askTimes(rig, 2), [], 'two wait: 0.8 s, less than a load')
  t.same(rig.ask('A'), ['swap 2 A@h2'], 'three wait: 1.2 s')
  t.equal(rig.cause(3), 'loading')
})

t.test('a queue that takes as long as the load starts no further replica', async (t) => {
  const rig = fleetRig()
  rig.ask('A')
  rig.ready(1, { loadMs: 800 })
  rig.pass(400)
  rig.served(1)
  rig.ask('A')
  t.same(askTimes(rig, 2), [])
})

t.test('more slots make the queue shorter', async (t) => {
  const rig = fleetRig({ each: { concurrencyLimit: 2 } })
  rig.ask('A')
  rig.ready(1, { loadMs: 1_000 })
  rig.pass(400)
  rig.served(1)
  t.same(askTimes(rig, 2), ['grant 2 A@h1', 'grant 3 A@h1'])
  t.same(askTimes(rig, 5), [], 'five on two slots: 1 s')
  t.same(rig.ask('A'), ['swap 2 A@h2'])
})

t.test('every replica that runs shortens the queue: the third starts later than the second', async (t) => {
  const rig = warm(fleetRig({ hosts: 3 }))
  t.same(askTimes(rig, 3), ['swap 2 A@h2'])
  t.same(rig.ready(2, { loadMs: 1_000 }), ['grant 3 A@h2'])
  t.same(askTimes(rig, 3), [], 'five on two replicas: 1 s')
  t.same(rig.ask('A'), ['swap 3 A@h3'], 'six: 1.2 s')
})

t.test('one swap per model at a time: however long the queue, the next replica waits for the load', async (t) => {
  const rig = warm(fleetRig({ hosts: 3 }))
  t.same(askTimes(rig, 40), ['swap 2 A@h2'])
  t.same(rig.ready(2, { loadMs: 1_000 }), ['grant 3 A@h2', 'swap 3 A@h3'])
})

t.test('where nothing was measured no further replica starts', async (t) => {
  const rig = fleetRig()
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  t.same(askTimes(rig, 100), [], 'neither a load nor a request was')
  rig.pass(60_000)
  t.same(rig.served(1), ['grant 2 A@h1'], 'no load was')
  const loaded = fleetRig()
  loaded.ask('A')
  loaded.ready(1, { loadMs: 1 })
  t.same(askTimes(loaded, 100), [], 'no request was')
})

t.test('a load that was measured on another host only is taken for what it takes here', async (t) => {
  const rig = warm(fleetRig())
  t.same(askTimes(rig, 3), ['swap 2 A@h2'], 'h2 never loaded it')
  rig.ready(2, { loadMs: 4_000 })
  rig.hostUp('h2')
  t.same(askTimes(rig, 8), [], 'now it is known that h2 takes four seconds, and nine take 3.6 s')
  t.same(rig.ask('A'), ['swap 3 A@h2'])
})

t.test('a further replica evicts an idle model that nobody waits for', async (t) => {
  const rig = fleetRig()
  rig.hostUp('h2', [{ model: 'B' }])
  warm(rig)
  t.same(askTimes(rig, 3), ['swap 2 A@h2 -B'])
})

t.test('a further replica evicts no model that serves', async (t) => {
  const rig = fleetRig()
  rig.hostUp('h2', [{ model: 'B' }])
  rig.ask('B')
  rig.ask('A')
  rig.ready(1, { loadMs: 1_000 })
  rig.pass(400)
  rig.served(2)
  rig.ask('A')
  t.same(askTimes(rig, 20), [])
  t.equal(rig.cause(4), 'slots-full')
})

t.test('a further replica evicts no model with waiters, though it be idle', async (t) => {
  const rig = fleetRig({ picker: (random) => createPicker({ profile: 'seed' }, { random }) })
  rig.hostUp('h2', [{ model: 'B' }])
  warm(rig)
  sample(rig, { id: 'B', host: 'h2' }, { waiting: 0, kv: 0.9 })
  rig.ask('B', { criticality: 'sheddable' })
  t.equal(rig.cause(3), 'saturated')
  t.same(askTimes(rig, 20), [])
  t.same(rig.cancel(3), ['swap 2 A@h2 -B'])
})

t.test('a further replica evicts no pinned model', async (t) => {
  const rig = fleetRig()
  rig.hostUp('h2', [{ model: 'B' }])
  rig.pin('B', true)
  warm(rig)
  t.same(askTimes(rig, 3), ['swap 2 A@h2'])
  t.equal(rig.phase('B', 'h2'), 'ready')
})

t.test('a host in cooldown gets no further replica', async (t) => {
  const rig = warm(fleetRig())
  askTimes(rig, 3)
  rig.failed(2)
  t.same(askTimes(rig, 20), [])
  rig.pass(1_000)
  t.same(rig.phase('A', 'h2'), 'loading', 'after it one is tried again')
})

t.test('a host that is away gets no further replica', async (t) => {
  const rig = warm(fleetRig())
  rig.hostDown('h2')
  t.same(askTimes(rig, 20), [])
  t.same(rig.hostUp('h2'), ['swap 2 A@h2'])
})

t.test('a request that forbids loads starts no further replica', async (t) => {
  const rig = warm(fleetRig())
  rig.ask('A', { noLoad: true, priority: 1 })
  t.same(askTimes(rig, 20), [], 'it is the head')
  rig.cancel(3)
  t.same(rig.ask('A'), ['swap 2 A@h2'])
})

t.test('what takes no slot does not make the queue longer, and does not wait for the load', async (t) => {
  const rig = warm(fleetRig())
  askTimes(rig, 2)
  t.same(rig.ask('A', { takesSlot: false }), ['grant 5 A@h1'])
  t.same(rig.ask('A'), ['swap 2 A@h2'])
  t.same(rig.ask('A', { takesSlot: false }), ['grant 7 A@h1'])
})

t.test('a model that is nowhere yet comes before the second replica of another', async (t) => {
  const rig = warm(fleetRig())
  rig.hostUp('h2', [{ model: 'C' }])
  rig.ask('C')
  rig.ask('B')
  t.equal(rig.cause(4), 'draining')
  t.same(askTimes(rig, 20), [])
  t.same(rig.served(3), ['swap 2 B@h2 -C'])
})

t.test('of two hosts the further replica takes the one where it starts sooner', async (t) => {
  const rig = fleetRig({ hosts: 3 })
  rig.hostUp('h2', [{ model: 'B' }])
  rig.hostDown('h3')
  // A stop of B on h2 takes five seconds, which is measured once and then weighs.
  rig.hostDown('h1')
  rig.ask('A')
  rig.ready(1, { loadMs: 1_000, stopMs: 5_000 })
  rig.pass(400)
  rig.served(1)
  rig.hostUp('h1', [{ model: 'A' }])
  rig.hostUp('h2', [{ model: 'B' }])
  rig.hostUp('h3')
  rig.ask('A')
  t.same(
    askTimes(rig, 4).filter((made) => made.startsWith('swap')),
    ['swap 2 A@h3'],
  )
  t.equal(rig.phase('B', 'h2'), 'ready')
})

t.test('a model that may run on one host only never scales out', async (t) => {
  const rig = warm(fleetRig({ hosts: 1 }))
  t.same(askTimes(rig, 50), [])
  t.equal(rig.scheduler.view(rig.now).models.get(modelId('A'))?.waiting, 50)
})

t.test('loading replicas count with their slots: who is refused is told so', async (t) => {
  const rig = warm(fleetRig({ each: { queueLimit: 3 } }))
  askTimes(rig, 3)
  t.equal(rig.phase('A', 'h2'), 'loading')
  rig.ask('A')
  t.match(rig.failureOf(6), { code: 'queue_full', retryAfterMs: (4 * 400) / 2 })
})
