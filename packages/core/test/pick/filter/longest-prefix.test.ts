import t from 'tap'
import type { FilterContext } from '../../../src/pick/filter/filter.ts'
import { longestPrefix } from '../../../src/pick/filter/longest-prefix.ts'
import type { Endpoint } from '../../../src/pick/picker.ts'
import { HeldPrefixes } from '../../../src/pick/prefix/held.ts'
import { thresholdsOf, type PickerSettings } from '../../../src/pick/settings.ts'
import { takeSnapshot } from '../../../src/pick/snapshot.ts'
import { endpointAt, hostsOf, scripted } from '../fixtures.ts'

const CHAIN = [1, 2, 3, 4]

const holding = (host: string, blocks: number, metrics: Partial<Endpoint> = {}): Endpoint => {
  const held = new HeldPrefixes()
  held.note(CHAIN.slice(0, blocks))
  return endpointAt(host, { slots: 4, ...metrics, prefixes: held })
}

const kept = (endpoints: readonly Endpoint[], settings: PickerSettings = {}, chain: number[] | null = CHAIN) => {
  const context: FilterContext = {
    critical: true,
    target: 'm',
    chain: chain ?? undefined,
    thresholds: thresholdsOf(settings),
    random: scripted(),
  }
  const snapshot = { profile: 'llama', staleAfterMs: 2_000, unknownKv: 0.8 } as const
  const result = longestPrefix(
    endpoints.map((endpoint) => takeSnapshot(endpoint, 0, snapshot)),
    context,
  )
  return 'error' in result ? result.error : hostsOf(result)
}

const NOBODY = 'no replica within reach holds a prefix of the prompt'

t.test('who holds the longest prefix is kept, all of them where several do', async (t) => {
  t.same(kept([holding('a', 1), holding('b', 3), holding('c', 2)]), ['b'])
  t.same(kept([holding('a', 3), holding('b', 1), holding('c', 3)]), ['a', 'c'])
  t.same(kept([endpointAt('a'), holding('b', 1)]), ['b'])
})

t.test('nobody holds any of it: nothing is kept, and the tree goes on with all', async (t) => {
  t.equal(kept([holding('a', 0), endpointAt('b')]), NOBODY)
  t.equal(kept([holding('a', 4)], {}, null), NOBODY)
  t.equal(kept([holding('a', 4)], {}, []), NOBODY)
})

t.test('a queue that is worse by half of the slots is still good, and no worse one', async (t) => {
  t.same(kept([holding('a', 4, { inFlight: 2 }), holding('b', 1)]), ['a'])
  t.same(kept([holding('a', 4, { inFlight: 3 }), holding('b', 1)]), ['b'])
  t.equal(kept([holding('a', 4, { inFlight: 3 }), holding('b', 0)]), NOBODY)
  t.same(kept([holding('a', 4, { inFlight: 3 }), holding('b', 4, { inFlight: 1 })]), ['a', 'b'], 'of the shortest')
})

t.test('a threshold that is set counts requests, whatever the profile', async (t) => {
  const three = [holding('a', 4, { inFlight: 3 }), holding('b', 0)]
  t.same(kept(three, { prefixQueueThreshold: 3 }), ['a'])
  t.equal(kept(three, { prefixQueueThreshold: 2 }), NOBODY)
  t.equal(kept([holding('a', 4, { inFlight: 1 }), holding('b', 0)], { prefixQueueThreshold: 0 }), NOBODY)
  t.same(kept([holding('a', 4, { inFlight: 8 }), holding('b', 0)], { profile: 'seed' }), ['a'])
  t.equal(kept([holding('a', 4, { inFlight: 9 }), holding('b', 0)], { profile: 'seed' }), NOBODY)
})
