import type { Placement } from '../ids.ts'
import type { PrefixesHeld } from './prefix/held.ts'

/** A ready replica with a free slot, as the picker sees it. Metrics are absent until the first sample. */
export interface Endpoint {
  readonly placement: Placement
  /** The router's own requests there: exact, also between samples. */
  readonly inFlight: number
  readonly slots: number
  /** Requests in the engine's own queue at the time of the sample. */
  readonly waiting?: number
  /** Own requests sent since the sample, which `waiting` can not know of: they spread a burst between samples. */
  readonly dispatchedSince?: number
  /** Tokens held by busy slots over capacity, 0 to 1. */
  readonly kv?: number
  /** Adapters loaded there, each once. */
  readonly activeAdapters?: readonly string[]
  readonly maxAdapters?: number
  /** When the metrics were read, on the clock of the events. */
  readonly sampledAt?: number
  /** Of prompts that were sent there; absent: nobody keeps them. */
  readonly prefixes?: PrefixesHeld
}

/** How much the metrics of an endpoint say now. */
export type Sample = 'fresh' | 'missing' | 'stale'

/** The snapshot of one endpoint that a whole decision works on; every number in it is known. */
export interface Candidate {
  readonly endpoint: Endpoint
  readonly sample: Sample
  /** Undefined without a sample, or without a clock to tell by. */
  readonly sampleAgeMs: number | undefined
  readonly inFlight: number
  readonly slots: number
  readonly waiting: number
  readonly kv: number
  readonly activeAdapters: readonly string[]
  readonly maxAdapters: number
}
