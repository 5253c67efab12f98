import t, { type Test } from 'tap'
import { createPicker, type PickerFactory, type PickerSettings } from '../../src/index.ts'
import { fleetRig, hostsUpTo, sample } from './fleet-fixtures.ts'

const REPLICAS = 8
const BURST = 480

/** How many of a burst each of eight ready replicas got; each has room for twice its share. */
const spread = (picker: PickerFactory | undefined, more: { seed?: number; sampled?: boolean } = {}): number[] => {
  const rig = fleetRig({
    hosts: REPLICAS,
    models: ['A'],
    each: { concurrencyLimit: (2 * BURST) / REPLICAS },
    ...(picker === undefined ? {} : { picker }),
    seed: more.seed ?? 0,
  })
  const hosts = hostsUpTo(REPLICAS)
  for (const host of hosts) rig.hostUp(host, [{ model: 'A' }])
  rig.now = 10
  if (more.sampled === true) for (const host of hosts) sample(rig, { id: 'A', host }, { waiting: 0, kv: 0.1 })
  for (let place = 0; place < BURST; place += 1) rig.ask('A')
  return hosts.map((host) => rig.inFlight('A', host))
}

const isEven = (t: Test, counts: readonly number[], of: string): void => {
  for (const [place, count] of counts.entries()) t.ok(count >= 54 && count <= 66, `${of}: h${place + 1} got ${count}`)
}

t.test('a burst spreads evenly: the least loaded is taken each time', async (t) => {
  isEven(t, spread(undefined), 'least loaded')
})

const TREES: readonly PickerSettings[] = [{ profile: 'llama' }, { profile: 'seed' }]

t.test('a burst spreads evenly through the filter tree, sampled or not, whatever chance says', async (t) => {
  for (const settings of TREES) {
    for (const seed of [1, 2, 3]) {
      for (const sampled of [true, false]) {
        const counts = spread((random) => createPicker(settings, { random }), { seed, sampled })
        isEven(t, counts, `${settings.profile} ${seed} ${sampled ? 'sampled' : 'unsampled'}`)
      }
    }
  }
})
