import t from 'tap'
import { leastLoaded } from '../../src/pick/least-loaded.ts'
import type { Endpoint } from '../../src/pick/picker.ts'
import { critical, endpointAt } from './fixtures.ts'

const endpoint = (host: string, inFlight: number, slots: number): Endpoint => endpointAt(host, { inFlight, slots })

const chosenHost = (...endpoints: Endpoint[]): string => leastLoaded.pick(critical, endpoints).chosen.placement.host

t.test('takes the smallest share of slots, not the fewest requests', (t) => {
  t.equal(chosenHost(endpoint('a', 1, 2), endpoint('b', 2, 8), endpoint('c', 3, 8)), 'b')
  t.end()
})

t.test('of equal shares the first in host order serves', (t) => {
  t.equal(chosenHost(endpoint('a', 1, 3), endpoint('b', 2, 6)), 'a')
  t.equal(chosenHost(endpoint('b', 2, 6), endpoint('a', 1, 3)), 'b')
  t.equal(chosenHost(endpoint('a', 0, 1), endpoint('b', 0, 8)), 'a')
  t.end()
})

t.test('says why, with the numbers behind it', (t) => {
  t.match(leastLoaded.pick(critical, [endpoint('a', 0, 1)]).reason, /only ready replica/)
  t.match(
    leastLoaded.pick(critical, [endpoint('a', 1, 2), endpoint('b', 1, 4)]).reason,
    /least loaded of 2 ready replicas: 1 of 4 slots/,
  )
  t.end()
})

t.test('no endpoints is a bug of the caller', (t) => {
  t.throws(() => leastLoaded.pick(critical, []), /no endpoints/)
  t.end()
})
