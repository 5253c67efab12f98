import t from 'tap'
import type { Candidate, Endpoint } from '../../src/pick/endpoint.ts'
import { takeSnapshot } from '../../src/pick/snapshot.ts'
import { endpointAt, sampledAt } from './fixtures.ts'

const llama = (endpoint: Endpoint, now?: number): Candidate =>
  takeSnapshot(endpoint, now, { profile: 'llama', staleAfterMs: 2_000, unknownKv: 0.8 })
const seed = (endpoint: Endpoint, now?: number): Candidate =>
  takeSnapshot(endpoint, now, { profile: 'seed', staleAfterMs: 2_000, unknownKv: 0.8 })

t.test('llama: the queue is the own requests plus what the engine put off', (t) => {
  t.equal(llama(sampledAt('a', { inFlight: 3, slots: 4, waiting: 2 })).waiting, 5)
  t.equal(llama(endpointAt('a', { inFlight: 3, slots: 4 })).waiting, 3, 'exact without a sample')
  t.end()
})

t.test("seed: the queue is the engine's, plus what was sent there since", (t) => {
  t.equal(seed(sampledAt('a', { inFlight: 9, waiting: 2 })).waiting, 2)
  t.equal(seed(sampledAt('a', { inFlight: 9, waiting: 2, dispatchedSince: 4 })).waiting, 6)
  t.equal(seed(endpointAt('a', { inFlight: 9 })).waiting, 9, 'the own requests stand in for an unknown queue')
  t.end()
})

t.test('a sample is stale once it is older than the limit, and its age is carried', (t) => {
  t.match(llama(sampledAt('a'), 2_000), { sample: 'fresh', sampleAgeMs: 2_000 })
  t.match(llama(sampledAt('a'), 2_001), { sample: 'stale', sampleAgeMs: 2_001 })
  t.match(llama(sampledAt('a', { sampledAt: 50 }), 20), { sample: 'fresh', sampleAgeMs: 0 })
  t.match(llama(sampledAt('a')), { sample: 'fresh', sampleAgeMs: undefined })
  t.end()
})

t.test('an endpoint without a sample is missing, never idle', (t) => {
  t.match(llama(endpointAt('a'), 0), { sample: 'missing', sampleAgeMs: undefined, kv: 0.8 })
  t.match(llama(sampledAt('a', { kv: Number.NaN }), 0), { sample: 'missing', kv: 0.8 })
  t.match(llama(sampledAt('a', { kv: Infinity }), 0), { sample: 'missing', kv: 0.8 })
  t.match(llama(sampledAt('a', { kv: -1 }), 0), { sample: 'missing', kv: 0.8 })
  t.end()
})

t.test('seed needs the queue of the engine, llama does not', (t) => {
  const noQueue = endpointAt('a', { kv: 0.5, sampledAt: 0 })
  t.equal(seed(noQueue, 0).sample, 'missing')
  t.equal(llama(noQueue, 0).sample, 'fresh')
  t.equal(seed(sampledAt('a', { waiting: Number.NaN, inFlight: 2 }), 0).waiting, 2)
  t.end()
})

t.test('adapters that nobody reported are none, with no room for any', (t) => {
  t.match(llama(endpointAt('a')), { activeAdapters: [], maxAdapters: 0 })
  t.end()
})
