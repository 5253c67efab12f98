import type { HostId, ModelId } from '../ids.ts'
import type { HostMemory } from './memory/host-memory.ts'
import type { ModelSize } from './memory/sizes.ts'

/** A model with a process on the host in question. */
export interface Resident {
  readonly model: ModelId
  readonly pinned: boolean
  /** Requests that it serves now, with or without a slot. */
  readonly inFlight: number
  /** Since when nothing used it; undefined while it serves or loads. */
  readonly idleSince: number | undefined
  /** Its start is under way. */
  readonly loading: boolean
  /** Median of its measured load times here, in milliseconds; undefined: never measured. */
  readonly reloadMs: number | undefined
  /** How long its running requests are likely to go on, in milliseconds. */
  readonly drainMs: number
}

export interface EvictQuestion {
  /** On the clock of the events, in milliseconds. */
  readonly now: number
  readonly target: ModelId
  readonly host: HostId
  /** Everything with a process on the host except the target, in id order. */
  readonly residents: readonly Resident[]
  /** What the host's agent told of its memory; absent: nothing. */
  readonly memory: HostMemory | undefined
}

/** The answer with its reason: a sentence for people. */
export type EvictPlan =
  | { readonly type: 'evict'; readonly models: readonly ModelId[]; readonly reason: string }
  /** It can not be done as things stand; `blockers` are in the way. */
  | { readonly type: 'impossible'; readonly blockers: readonly ModelId[]; readonly reason: string }

/** Eviction policy: which models must stop before a target can serve. A function of data: it neither logs nor remembers. */
export interface Swapper {
  readonly name: string
  plan(question: EvictQuestion): EvictPlan
  /** What it takes a model to need on a host; absent: it does not go by sizes. */
  readonly sizeOf?: (model: ModelId, host: HostId, memory: HostMemory | undefined) => ModelSize | undefined
}
