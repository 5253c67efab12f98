import type { HostId, ModelId } from '../ids.ts'
import type { Swapper } from '../evict/swapper.ts'
import type { PickAnswer, Picker, PickerFactory } from '../pick/picker.ts'

/** What the scheduler needs to know of a model. */
export interface ModelPolicy {
  readonly id: ModelId
  /** Hosts that may run it, in the order of the config. */
  readonly hosts: readonly HostId[]
  /** Identifies what a start depends on: a changed one leaves the cooldown of the old one, and its load is begun anew. */
  readonly commandHash: string
  /** Identifies what runs: a process that was started as another drains and stops, and the next request starts this one. */
  readonly processHash: string
  /** Hosts whose agents have a definition of their own and look after it themselves: both hashes say nothing there. Absent: none. */
  readonly definedAt?: readonly HostId[]
  /** What a replica serves at once; absent: what the engine reports, else {@link DEFAULT_SLOTS}. */
  readonly concurrencyLimit?: number
  /** How many requests may wait for it. */
  readonly queueLimit: number
  /** Unloaded after this long without a request; absent: never. */
  readonly idleMs?: number
  /** Loaded again when nothing else was wanted for this long, and then not unloaded for being idle; absent: on request only. */
  readonly restoreMs?: number
  /** Order between models under `fifo`; higher first. */
  readonly priority: number
  readonly pinned: boolean
}

export interface SchedulerLimits {
  /** Requests that may wait, all models together. */
  readonly maxQueued: number
  readonly queueTimeoutMs: number
  /** From the decision to evict a serving model; then its requests are cut. */
  readonly drainTimeoutMs: DrainLimit
}

/** How long running requests may go on before they are cut, in milliseconds; a word for ever, as JSON has no `Infinity`. */
export type DrainLimit = number | 'never'

export interface FifoSettings {
  readonly use: 'fifo'
  /** A request that has waited this long is overdue and comes before everybody else, by arrival. */
  readonly fairAfterMs: number
}

export interface SerialSettings {
  readonly use: 'serial'
  /** Seconds of waiting worth one priority point; 0: waiting is worth nothing, and there is no bound. */
  readonly agingSeconds: number
  /** Points that staying on a loaded model is worth: a number, or what its swap costs in waiting. */
  readonly swapAffinity: number | 'auto'
  /** A model just loaded is not swapped out sooner, unless nobody wants it. */
  readonly minResidencyMs: number
  /** Whether callers share a model fairly. */
  readonly fairShare: boolean
  /** Whether a free slot may be used while its model is held for another request, when that delays nobody. */
  readonly backfill: boolean
}

export type PolicySettings = FifoSettings | SerialSettings

export interface SchedulerOptions {
  readonly policy: PolicySettings
  readonly models: readonly ModelPolicy[]
  readonly limits: SchedulerLimits
  readonly swapper: Swapper
  /** Chooses among several ready replicas: one that draws nothing, or how to make one. Absent: the least loaded. */
  readonly picker?: Picker<PickAnswer> | PickerFactory
  /** Where the random numbers of a new scheduler begin; absent: the same ones on every run. */
  readonly seed?: number
}

export const DEFAULT_SLOTS = 10
export const DEFAULT_QUEUE_LIMIT = 512
export const DEFAULT_LIMITS: SchedulerLimits = {
  maxQueued: 2_048,
  queueTimeoutMs: 900_000,
  drainTimeoutMs: 600_000,
}
export const DEFAULT_FIFO: FifoSettings = { use: 'fifo', fairAfterMs: 60_000 }
export const DEFAULT_SERIAL: SerialSettings = {
  use: 'serial',
  agingSeconds: 10,
  swapAffinity: 'auto',
  minResidencyMs: 0,
  fairShare: true,
  backfill: false,
}
