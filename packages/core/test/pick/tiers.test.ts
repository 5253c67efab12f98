import t from 'tap'
import type { Endpoint } from '../../src/pick/endpoint.ts'
import { takeSnapshot } from '../../src/pick/snapshot.ts'
import { tiersOf } from '../../src/pick/tiers.ts'
import { endpointAt, hostsOf, sampledAt } from './fixtures.ts'

const NOW = 10_000
const fresh = (host: string, inFlight: number): Endpoint => sampledAt(host, { inFlight, sampledAt: NOW })
const missing = (host: string, inFlight: number): Endpoint => endpointAt(host, { inFlight })
const stale = (host: string, inFlight: number): Endpoint => sampledAt(host, { inFlight, sampledAt: 0 })

const tiers = (...endpoints: Endpoint[]): object[] => {
  const options = { profile: 'llama', staleAfterMs: 2_000, unknownKv: 0.8 } as const
  return tiersOf(endpoints.map((endpoint) => takeSnapshot(endpoint, NOW, options))).map(({ name, candidates }) => ({
    name,
    hosts: hostsOf(candidates),
  }))
}

t.test('endpoints that know equally much are one tier, in order', (t) => {
  t.same(tiers(fresh('a', 0), fresh('b', 3)), [{ name: 'sampled', hosts: ['a', 'b'] }])
  t.same(tiers(missing('a', 0), missing('b', 3)), [{ name: 'sampled', hosts: ['a', 'b'] }])
  t.same(tiers(stale('a', 0), stale('b', 3)), [{ name: 'stale', hosts: ['a', 'b'] }])
  t.same(tiers(), [{ name: 'sampled', hosts: [] }])
  t.end()
})

t.test('without a sample an endpoint stands behind sampled ones with as few own requests', (t) => {
  t.same(tiers(missing('a', 1), fresh('b', 1), fresh('c', 2)), [
    { name: 'sampled', hosts: ['b', 'c'] },
    { name: 'unsampled', hosts: ['a'] },
  ])
  t.end()
})

t.test('without a sample an endpoint with fewer own requests than any sampled one competes', (t) => {
  t.same(tiers(missing('a', 0), fresh('b', 1), missing('c', 2)), [
    { name: 'sampled', hosts: ['a', 'b'] },
    { name: 'unsampled', hosts: ['c'] },
  ])
  t.end()
})

t.test('old samples are the back-up, also behind endpoints without any', (t) => {
  t.same(tiers(stale('a', 0), fresh('b', 9), missing('c', 9)), [
    { name: 'sampled', hosts: ['b'] },
    { name: 'unsampled', hosts: ['c'] },
    { name: 'stale', hosts: ['a'] },
  ])
  t.same(tiers(stale('a', 0), missing('b', 9)), [
    { name: 'sampled', hosts: ['b'] },
    { name: 'stale', hosts: ['a'] },
  ])
  t.end()
})
