import type { HostId, ModelId } from '../ids.ts'
import type { Swapper } from '../evict/swapper.ts'
import type { Picker } from '../pick/picker.ts'

/** What the scheduler needs to know of a model. */
export interface ModelPolicy {
  readonly id: ModelId
  /** Hosts that may run it, in the order of the config. */
  readonly hosts: readonly HostId[]
  /** Identifies the command line: a changed command leaves the cooldown of the old one. */
  readonly commandHash: string
  /** What a replica serves at once; absent: what the engine reports, else {@link DEFAULT_SLOTS}. */
  readonly concurrencyLimit?: number
  /** How many requests may wait for it. */
  readonly queueLimit: number
  /** Unloaded after this long without a request; absent: never. */
  readonly idleMs?: number
  /** Order between models under `fifo`; higher first. */
  readonly priority: number
  readonly pinned: boolean
}

export interface SchedulerLimits {
  /** Requests that may wait, all models together. */
  readonly maxQueued: number
  readonly queueTimeoutMs: number
  /** From the decision to evict a serving model; then its requests are cut. */
  readonly drainTimeoutMs: number | 'never'
}

export interface FifoSettings {
  readonly use: 'fifo'
  /** A request that has waited this long is overdue and comes before everybody else, by arrival. */
  readonly fairAfterMs: number
}

export type PolicySettings = FifoSettings

export interface SchedulerOptions {
  readonly policy: PolicySettings
  readonly models: readonly ModelPolicy[]
  readonly limits: SchedulerLimits
  readonly swapper: Swapper
  readonly picker: Picker
}

export const DEFAULT_SLOTS = 10
export const DEFAULT_QUEUE_LIMIT = 512
export const DEFAULT_LIMITS: SchedulerLimits = {
  maxQueued: 2_048,
  queueTimeoutMs: 900_000,
  drainTimeoutMs: 600_000,
}
export const DEFAULT_POLICY: PolicySettings = { use: 'fifo', fairAfterMs: 60_000 }
