import { hostId, modelId } from '../../src/ids.ts'
import type { Endpoint, PickRequest, RandomSource } from '../../src/pick/picker.ts'

type Metrics = Partial<Omit<Endpoint, 'placement'>>

/** An idle replica on a host, with one slot and no metrics unless given. */
export const endpointAt = (host: string, metrics: Metrics = {}): Endpoint => ({
  placement: { model: modelId('m'), host: hostId(host) },
  inFlight: 0,
  slots: 1,
  ...metrics,
})

/** One with a sample read at 0 on the test's clock: empty queue and cache unless given. */
export const sampledAt = (host: string, metrics: Metrics = {}): Endpoint =>
  endpointAt(host, { waiting: 0, kv: 0, activeAdapters: [], maxAdapters: 0, sampledAt: 0, ...metrics })

export const critical: PickRequest = { model: modelId('m'), criticality: 'critical' }
export const sheddable: PickRequest = { model: modelId('m'), criticality: 'sheddable' }

export const hostsOf = (items: readonly { readonly endpoint: Endpoint }[]): string[] =>
  items.map(({ endpoint }) => endpoint.placement.host)

/** Returns the given numbers in turn and fails on one draw more. */
export const scripted = (...rolls: number[]): RandomSource & { readonly drawn: () => number } => {
  let drawn = 0
  const random = (): number => {
    const roll = rolls[drawn]
    if (roll === undefined) throw new Error(`a draw too many: only ${rolls.length} expected`)
    drawn += 1
    return roll
  }
  return Object.assign(random, { drawn: () => drawn })
}

export { seededRandom as seeded } from '../../src/simulate/random.ts'
