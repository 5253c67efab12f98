import t from 'tap'
import { callerId, createPicker, hostId, modelId, requestId, restoreScheduler } from '../../src/index.ts'
import { rigOptions } from './fixtures.ts'
import { fleetRig, sample } from './fleet-fixtures.ts'
import { model, type Rig } from './rig.ts'

// An engine goes on for a while with what nobody waits for any more: others are asked first, and nobody waits for its end.

const HOSTS = ['h1', 'h2']
const H1 = { id: 'A', host: 'h1' }

/** A is ready on h1 and h2, with two slots each; of two with the same load h1 is taken. */
const pair = (): Rig => {
  const rig = fleetRig({ models: ['A', 'B'], each: { concurrencyLimit: 2 } })
  for (const host of HOSTS) rig.hostUp(host, [{ model: 'A' }])
  rig.pass(100)
  return rig
}

/** The first request went to h1, and was given up there. */
const givenUp = (rig = pair()): Rig => {
  t.same(rig.ask('A'), ['grant 1 A@h1'])
  rig.served(1, 'given-up')
  return rig
}

/** Where the next request goes; it ends at once. */
const next = (rig: Rig): string | undefined => {
  const number = rig.upcoming
  const [granted] = rig.ask('A')
  rig.served(number)
  return granted?.replace(/.*@/, '')
}

const measures = (rig: Rig): string => JSON.stringify((rig.scheduler.snapshot() as { measures: unknown }).measures)

t.test(
  'who comes after one that was given up goes to another replica, until a sample says that it is at nothing',
  async (t) => {
    const rig = givenUp()
    t.equal(next(rig), 'h2')
    rig.pass(50)
    sample(rig, H1, { running: 1 })
    t.equal(next(rig), 'h2', 'it still is at it')
    rig.pass(50)
    sample(rig, H1, { running: 0 })
    t.equal(next(rig), 'h1')
  },
)

t.test('without a choice nobody waits for it', async (t) => {
  const rig = givenUp()
  t.same(rig.ask('A'), ['grant 2 A@h2'])
  t.same(rig.ask('A'), ['grant 3 A@h1'], 'a half and a half')
  t.same(rig.ask('A'), ['grant 4 A@h2'])
  t.same(rig.ask('A'), ['grant 5 A@h1'], 'its slots are its own requests alone')
  t.same(rig.ask('A'), [])
  const one = fleetRig({ hosts: 1, each: { concurrencyLimit: 1 } })
  one.hostUp('h1', [{ model: 'A' }])
  t.same(givenUp(one).ask('A'), ['grant 2 A@h1'], 'the only replica')
})

t.test('a sample from before the end says nothing of it', async (t) => {
  const rig = givenUp()
  rig.pass(50)
  sample(rig, H1, { running: 0, sampledAt: 100 })
  t.equal(next(rig), 'h2', 'it was read in that very millisecond')
  sample(rig, H1, { running: 0, sampledAt: 101 })
  t.equal(next(rig), 'h1')
})

t.test('own requests that the engine is at are no earlier ones', async (t) => {
  const rig = pair()
  t.same(rig.ask('A'), ['grant 1 A@h1'])
  t.same(rig.ask('A'), ['grant 2 A@h2'])
  t.same(rig.ask('A'), ['grant 3 A@h1'])
  rig.served(3, 'given-up')
  rig.pass(50)
  sample(rig, H1, { running: 2 })
  t.equal(next(rig), 'h2', 'one of the two is the first')
  rig.pass(50)
  sample(rig, H1, { running: 1 })
  t.equal(next(rig), 'h1', 'and the only one now')
})

t.test('of several the earliest have ended when there are fewer', async (t) => {
  const rig = pair()
  for (const id of [1, 3]) {
    rig.upcoming = id
    rig.ask('A')
    rig.upcoming = id + 1
    rig.ask('A')
  }
  for (const id of [1, 3]) {
    rig.served(id, 'given-up')
    rig.served(id + 1)
    rig.pass(1_000)
  }
  sample(rig, H1, { running: 1 })
  t.equal(next(rig), 'h2')
  rig.pass(28_999)
  t.equal(next(rig), 'h2', 'the later one is not as old as that')
  rig.pass(1)
  t.equal(next(rig), 'h1')
})

t.test('where no sample tells, it counts for half a minute', async (t) => {
  const rig = givenUp()
  rig.pass(50)
  sample(rig, H1, { kv: 0.1 })
  rig.pass(29_949)
  t.equal(next(rig), 'h2')
  rig.pass(1)
  t.equal(next(rig), 'h1')
})

t.test('nothing of it outlives its process', async (t) => {
  const rig = givenUp()
  rig.hostDown('h1')
  rig.hostUp('h1', [{ model: 'A' }])
  t.equal(next(rig), 'h1')
})

t.test('it keeps no model from being unloaded or evicted', async (t) => {
  const rig = givenUp()
  t.match(rig.scheduler.view(rig.now).models.get(modelId('A'))?.placements[0], { inFlight: 0, idleSince: 100 })
  t.same(rig.ask('B'), ['swap 1 B@h1 -A'])
  t.same(
    rig.unload(['A']).filter((command) => command.startsWith('stop')),
    ['stop 2 A@h1 A@h2 unload'],
  )
})

t.test('a gate that would refuse for it alone lets through', async (t) => {
  const rig = fleetRig({
    each: { concurrencyLimit: 1 },
    picker: (random) => createPicker({ profile: 'llama' }, { random }),
  })
  for (const host of HOSTS) rig.hostUp(host, [{ model: 'A' }])
  const sheddable = { criticality: 'sheddable' } as const
  for (const id of [1, 2]) t.match(rig.ask('A', sheddable), [new RegExp(`grant ${id} `)])
  for (const id of [1, 2]) rig.served(id, 'given-up')
  for (const host of HOSTS) sample(rig, { id: 'A', host }, { kv: 0.9, deferred: 0 })
  t.match(rig.ask('A', sheddable), [/grant 3 /])
})

t.test('how long serving takes is not measured by it', async (t) => {
  const rig = pair()
  rig.ask('A')
  rig.pass(5_000)
  rig.served(1, 'given-up')
  t.notMatch(measures(rig), 'service')
  rig.ask('A')
  rig.pass(5_000)
  rig.served(2)
  t.match(measures(rig), 'service')
})

t.test('what only looked leaves nothing behind', async (t) => {
  const rig = pair()
  t.same(rig.ask('A', { takesSlot: false }), ['grant 1 A@h1'])
  rig.served(1, 'given-up')
  t.equal(next(rig), 'h1')
})

t.test('a scheduler that goes on from a snapshot knows of it', async (t) => {
  const rig = givenUp()
  const both = model('A', { hosts: HOSTS.map((id) => hostId(id)), concurrencyLimit: 2 })
  const twin = restoreScheduler(rigOptions({ models: [both] }), rig.scheduler.snapshot())
  const request = {
    id: requestId(9),
    model: both.id,
    priority: 0,
    criticality: 'critical',
    caller: callerId('anonymous'),
    takesSlot: true,
    noLoad: false,
  } as const
  const granted = twin.onRequest({ type: 'request-received', now: rig.now, request })
  t.match(granted, [{ type: 'grant', placement: { host: 'h2' } }])
})
