import t from 'tap'
import {
  createPicker,
  requestId,
  type Endpoint,
  type PickAnswer,
  type Picker,
  type PickerSettings,
} from '../../src/index.ts'
import { fleetRig, sample } from './fleet-fixtures.ts'
import type { Rig } from './rig.ts'

/** A is ready on h1 and h2 with four slots each; the gate lets work that may wait through at `kv <= 0.8`. */
const gated = (settings: PickerSettings = {}): Rig => {
  const rig = fleetRig({
    each: { concurrencyLimit: 4 },
    picker: (random) => createPicker({ profile: 'seed', ...settings }, { random }),
  })
  for (const host of ['h1', 'h2']) rig.hostUp(host, [{ model: 'A' }])
  rig.pass(1_000)
  return rig
}

const fill = (rig: Rig, kv: number, hosts: readonly string[] = ['h1', 'h2']): string[] =>
  hosts.flatMap((host) => sample(rig, { id: 'A', host }, { waiting: 0, kv }))

const sheddable = { criticality: 'sheddable' } as const

t.test('work that may wait stays queued while no replica has capacity, and says so', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  t.same(rig.ask('A', sheddable), [])
  t.match(rig.scheduler.causeOf(requestId(1)), {
    type: 'saturated',
    placements: [{ host: 'h1' }, { host: 'h2' }],
    reason: /none of 2/,
  })
  t.same(rig.timeline(1), ['1000 received', '1000 queued', '1000 blocked:saturated'])
})

t.test('a fresh sample looks at it again', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  rig.ask('A', sheddable)
  rig.pass(500)
  t.same(fill(rig, 0.85, ['h2']), [])
  t.same(fill(rig, 0.8, ['h2']), ['grant 1 A@h2'])
  t.same(rig.timeline(1), ['1000 received', '1000 queued', '1000 blocked:saturated', '1500 granted'])
})

t.test('a sample of an earlier process, or one older than the last, says nothing', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  rig.ask('A', sheddable)
  t.same(sample(rig, { id: 'A', host: 'h1', olderBy: 1 }, { waiting: 0, kv: 0 }), [])
  t.same(sample(rig, { id: 'A', host: 'h1' }, { waiting: 0, kv: 0, sampledAt: 999 }), [])
  t.same(sample(rig, { id: 'A', host: 'h1' }, { waiting: 0, kv: 0 }), ['grant 1 A@h1'])
})

t.test('a sample wakes nobody who does not wait for one', async (t) => {
  const rig = gated()
  for (let place = 0; place < 9; place += 1) rig.ask('A')
  t.equal(rig.cause(9), 'slots-full')
  t.same(fill(rig, 0), [])
})

t.test('the metrics of a process end with it', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  rig.hostDown('h2')
  rig.ask('A', sheddable)
  t.equal(rig.cause(1), 'saturated')
  t.same(rig.hostUp('h2', [{ model: 'A' }]), ['grant 1 A@h2'], 'the new process told nothing yet')
})

t.test('a request that ended looks at it again: the llama profile lets an idle replica take anything', async (t) => {
  const rig = fleetRig({
    hosts: 1,
    each: { concurrencyLimit: 4 },
    picker: (random) => createPicker({}, { random }),
  })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A')
  sample(rig, { id: 'A', host: 'h1' }, { kv: 0.95 })
  rig.ask('A', sheddable)
  t.equal(rig.cause(2), 'saturated')
  t.same(rig.served(1), ['grant 2 A@h1'])
})

t.test('critical requests pass, and so does what takes no slot; what may wait keeps its order', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  rig.ask('A', sheddable)
  rig.ask('A', { criticality: 'standard' })
  t.match(rig.ask('A'), [/^grant 3 /])
  t.match(rig.ask('A', { ...sheddable, takesSlot: false }), [/^grant 4 /])
  t.equal(rig.cause(1), 'saturated')
  const granted = fill(rig, 0.1)
  t.match(granted, [/^grant 1 /, /^grant 2 /])
})

t.test('a critical request behind one that waits is found by a walk as well', async (t) => {
  const rig = gated({ queueThresholdCritical: -1 })
  rig.hostDown('h2')
  for (let place = 0; place < 4; place += 1) rig.ask('A')
  rig.ask('A', { ...sheddable, priority: 5 })
  rig.ask('A')
  t.equal(rig.cause(5), 'slots-full')
  t.same(rig.hostUp('h2', [{ model: 'A' }]), ['grant 6 A@h2'])
  t.equal(rig.cause(5), 'saturated')
})

t.test('when the first that waits leaves, the next is looked at', async (t) => {
  // Nobody has room for the adapter x; in the order the others stay behind it all the same.
  const picker: Picker<PickAnswer> = {
    name: 'fussy',
    pick: ({ adapter }, endpoints) =>
      adapter === 'x'
        ? {
            chosen: undefined,
            reason: 'x fits nowhere',
            failure: { code: 'resource_exhausted', message: 'x fits nowhere' },
            onSaturation: 'wait',
            trace: [],
          }
        : { chosen: endpoints[0] as Endpoint, reason: 'any' },
  }
  const rig = fleetRig({ hosts: 1, each: { concurrencyLimit: 4 }, picker })
  rig.hostUp('h1', [{ model: 'A' }])
  rig.ask('A', { ...sheddable, adapter: 'x' })
  t.same(rig.ask('A', sheddable), [])
  t.same(rig.cancel(1), ['grant 2 A@h1'])
})

t.test('shed: it is refused, with the time after which it may fit', async (t) => {
  const rig = gated({ onSaturation: 'shed' })
  rig.ask('A')
  rig.pass(2_000)
  rig.served(1)
  fill(rig, 0.9)
  t.same(rig.ask('A', sheddable), ['reject 2 resource_exhausted'])
  t.match(rig.failureOf(2), {
    message: 'dropping request due to limited backend resources',
    retryAfterMs: 250,
  })
  t.match(rig.ask('A'), [/^grant 3 /])
})

t.test('time alone does not move what waits for capacity, until it has waited too long', async (t) => {
  const rig = gated()
  fill(rig, 0.9)
  rig.ask('A', sheddable)
  t.same(rig.pass(10_000), [], 'nothing spins, and nothing ends it before its time')
  t.equal(rig.cause(1), 'saturated')
  t.same(rig.pass(890_000), ['reject 1 wait_exceeded'])
})
