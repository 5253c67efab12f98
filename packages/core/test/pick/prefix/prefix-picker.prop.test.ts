import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import t from 'tap'
import { modelId } from '../../../src/ids.ts'
import type { Candidate, Endpoint } from '../../../src/pick/endpoint.ts'
import type { PickAnswer, PickRequest } from '../../../src/pick/picker.ts'
import { HeldPrefixes } from '../../../src/pick/prefix/held.ts'
import { prefixPicker } from '../../../src/pick/prefix/prefix-picker.ts'
import { limitFor, thresholdsOf, type PickerSettings } from '../../../src/pick/settings.ts'
import { treePicker } from '../../../src/pick/tree-picker.ts'
import { endpointAt, seeded } from '../fixtures.ts'

const NOW = 5_000
const CHAIN = Array.from({ length: 9 }, (_, at) => at + 1)

const endpoint = fc.record({
  inFlight: fc.nat(6),
  slots: fc.integer({ min: 1, max: 8 }),
  blocks: fc.nat(CHAIN.length),
  metrics: fc.record(
    {
      waiting: fc.oneof(fc.nat(8), fc.nat(400)),
      kv: fc.double({ min: 0, max: 1.2, noNaN: true }),
      activeAdapters: fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 }),
      maxAdapters: fc.nat(2),
      sampledAt: fc.constantFrom(NOW, 0),
    },
    { requiredKeys: [] },
  ),
})

const situation = fc.record({
  endpoints: fc.array(endpoint, { minLength: 1, maxLength: 8 }).map((rows) =>
    rows.map(({ blocks, metrics, ...rest }, place): Endpoint => {
      const prefixes = new HeldPrefixes()
      prefixes.note(CHAIN.slice(0, blocks))
      return endpointAt(`h${place}`, { ...rest, ...metrics, ...(blocks === 0 ? {} : { prefixes }) })
    }),
  ),
  criticality: fc.constantFrom('critical', 'standard', 'sheddable'),
  settings: fc.record(
    { profile: fc.constantFrom('seed', 'llama'), prefixQueueThreshold: fc.nat(6) },
    { requiredKeys: ['profile'] },
  ),
  seed: fc.integer(),
})

type Situation = Omit<typeof situation extends fc.Arbitrary<infer Of> ? Of : never, 'settings'> & {
  readonly settings: PickerSettings
}

const requestOf = ({ criticality }: Situation): PickRequest => ({
  model: modelId('m'),
  criticality,
  prefix: CHAIN,
})

const decide = (given: Situation): PickAnswer =>
  prefixPicker(given.settings, { random: seeded(given.seed) }).pick(requestOf(given), given.endpoints, NOW)

const seenIn = (answer: PickAnswer): readonly Candidate[] => answer.trace?.[0]?.in ?? []
const heldAt = ({ prefixes }: Endpoint): number => prefixes?.countOf(CHAIN) ?? 0

const holds = (name: string, check: (given: Situation) => void): void => {
  t.test(name, (t) => {
    t.doesNotThrow(() => {
      fc.assert(
        fc.property(situation, (given) => check(given)),
        { numRuns: 1_000 },
      )
    })
    t.end()
  })
}

holds('it never takes what the capacity gate refuses, and finds saturated what the tree does', (given) => {
  const answer = decide(given)
  const tree = treePicker(given.settings, { random: seeded(given.seed) }).pick(requestOf(given), given.endpoints, NOW)
  assert.equal(answer.chosen === undefined, tree.chosen === undefined)
  const chosen = seenIn(answer).find((one) => one.endpoint === answer.chosen)
  if (chosen === undefined || given.criticality === 'critical') return
  const { inFlight, slots, waiting, kv } = chosen
  if (given.settings.profile === 'llama') assert.ok(inFlight === 0 || (waiting <= slots && kv <= 0.8))
  else assert.ok(waiting <= 5 && kv <= 0.8)
})

holds('where queues and all else are equal it takes a longest holder, by whatever chance', (given) => {
  const equal = given.endpoints.map(({ placement, prefixes }) =>
    endpointAt(placement.host, { slots: 4, inFlight: 1, ...(prefixes === undefined ? {} : { prefixes }) }),
  )
  const { chosen } = decide({ ...given, endpoints: equal })
  if (chosen !== undefined) assert.equal(heldAt(chosen), Math.max(...equal.map(heldAt)))
})

holds('of two it leaves the holder exactly when its queue is worse by more than the threshold', (given) => {
  const [first] = given.endpoints
  if (first === undefined) return
  const held = new HeldPrefixes(CHAIN)
  const holder = endpointAt('holder', { slots: 8, inFlight: first.inFlight, prefixes: held })
  const { chosen } = decide({
    ...given,
    criticality: 'critical',
    endpoints: [endpointAt('other', { slots: 8 }), holder],
  })
  const limit = limitFor(thresholdsOf(given.settings).prefixQueueThreshold, 8)
  assert.equal(chosen === holder, first.inFlight <= limit)
})

holds('who is taken for a prefix has a queue within the threshold of the best of those that were compared', (given) => {
  const answer = decide(given)
  const step = answer.trace?.findLast(({ node }) => node === 'longest-prefix')
  if (step?.result !== 'success') return
  const least = Math.min(...step.in.map(({ waiting }) => waiting))
  const { prefixQueueThreshold } = thresholdsOf(given.settings)
  for (const { waiting, slots } of step.out) assert.ok(waiting <= least + limitFor(prefixQueueThreshold, slots))
  assert.ok(answer.chosen !== undefined && heldAt(answer.chosen) > 0)
})

holds('the same situation gives the same answer, and what is held is not changed by looking', (given) => {
  const before = JSON.stringify(given.endpoints)
  const answer = decide(given)
  assert.deepEqual(decide(given), answer)
  assert.equal(JSON.stringify(given.endpoints), before)
})

holds('what it says of the prompt is true', (given) => {
  const { chosen, reason } = decide(given)
  if (chosen === undefined || given.endpoints.length === 1) return
  const longest = Math.max(...given.endpoints.map(heldAt))
  const own = /; it holds the first (\d+) of the prompt's 9 blocks$/.exec(reason)?.[1]
  const other = /; (h\d) holds the first (\d+) of the prompt's 9 blocks and (has|lacks) /.exec(reason)
  if (longest === 0) assert.doesNotMatch(reason, /holds/)
  else if (heldAt(chosen) === longest) assert.equal(Number(own), longest)
  else {
    assert.equal(Number(other?.[2]), longest)
    const holder = given.endpoints.find(({ placement }) => placement.host === other?.[1])
    assert.equal(holder === undefined ? undefined : heldAt(holder), longest)
  }
})
