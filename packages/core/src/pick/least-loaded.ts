import type { Endpoint, Pick, Picker } from './picker.ts'

// Shares are compared as cross products: 1/3 against 2/6 must tie exactly, which quotients do not promise.
const isLessLoaded = (one: Endpoint, other: Endpoint): boolean =>
  one.inFlight * other.slots < other.inFlight * one.slots

const ONLY_ONE = 'the only ready replica with a free slot'

const reasonFor = (chosen: Endpoint, count: number): string =>
  count === 1
    ? ONLY_ONE
    : `the least loaded of ${count} ready replicas: ${chosen.inFlight} of ${chosen.slots} slots taken`

/** Takes the replica with the smallest share of its slots in use; of equals the first in host order. Draws nothing. */
export const leastLoaded: Picker = {
  name: 'least-loaded',
  pick(_request, endpoints): Pick {
    let chosen = endpoints[0]
    if (chosen === undefined) throw new Error('a picker was asked to choose from no endpoints')
    for (const endpoint of endpoints) {
      if (isLessLoaded(endpoint, chosen)) chosen = endpoint
    }
    return { chosen, reason: reasonFor(chosen, endpoints.length) }
  },
  takesOnly: () => ONLY_ONE,
}
