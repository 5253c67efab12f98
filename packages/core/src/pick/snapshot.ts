import type { Candidate, Endpoint, Sample } from './endpoint.ts'
import type { PickerProfile } from './settings.ts'

export interface SnapshotOptions {
  readonly profile: PickerProfile
  readonly staleAfterMs: number
  /** Stands in for an unknown KV use: the threshold itself is neither idle nor excluded. */
  readonly unknownKv: number
}

const NO_ADAPTERS: readonly string[] = []

// A scraper that divides by zero must not make an endpoint unpickable: NaN passes no filter.
const isKnown = (metric: number | undefined): metric is number =>
  metric !== undefined && metric >= 0 && metric < Infinity

/**
 * `llama`: own requests, exact without a sample, plus what the engine says it put off. `seed`: the engine's queue plus
 * what was sent there since it was read. An unknown queue is as long as the own requests.
 */
const waitingAt = (endpoint: Endpoint, profile: PickerProfile): number => {
  const { waiting, inFlight, dispatchedSince } = endpoint
  if (!isKnown(waiting)) return inFlight
  return waiting + (profile === 'llama' ? inFlight : (dispatchedSince ?? 0))
}

const sampleOf = (endpoint: Endpoint, ageMs: number | undefined, options: SnapshotOptions): Sample => {
  const { waiting, kv, sampledAt } = endpoint
  if (sampledAt === undefined || !isKnown(kv)) return 'missing'
  if (options.profile === 'seed' && !isKnown(waiting)) return 'missing'
  return ageMs !== undefined && ageMs > options.staleAfterMs ? 'stale' : 'fresh'
}

/** Reads an endpoint's metrics once: a whole decision sees the same numbers. */
export const takeSnapshot = (endpoint: Endpoint, now: number | undefined, options: SnapshotOptions): Candidate => {
  const { sampledAt, kv } = endpoint
  const sampleAgeMs = sampledAt === undefined || now === undefined ? undefined : Math.max(0, now - sampledAt)
  return {
    endpoint,
    sample: sampleOf(endpoint, sampleAgeMs, options),
    sampleAgeMs,
    inFlight: endpoint.inFlight,
    slots: endpoint.slots,
    waiting: waitingAt(endpoint, options.profile),
    kv: isKnown(kv) ? kv : options.unknownKv,
    activeAdapters: endpoint.activeAdapters ?? NO_ADAPTERS,
    maxAdapters: endpoint.maxAdapters ?? 0,
  }
}
