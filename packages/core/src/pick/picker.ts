import type { Failure } from '../errors/failure.ts'
import type { ModelId } from '../ids.ts'
import type { Criticality } from '../schedule/request.ts'
import type { Candidate, Endpoint } from './endpoint.ts'
import type { PrefixChain } from './prefix/chain.ts'

export type { Candidate, Endpoint } from './endpoint.ts'

/** Numbers from 0 up to but not including 1. The process has one source, so that a seed replays every choice. */
export type RandomSource = () => number

/** What a picker reads of a request; a `Request` of the scheduler is one. */
export interface PickRequest {
  readonly model: ModelId
  readonly criticality: Criticality
  /** The adapter that was asked for; absent: the model itself. */
  readonly adapter?: string
  /** How its prompt begins; absent: unknown, or of no interest. */
  readonly prefix?: PrefixChain
}

/** What one step of a decision was given and what it let through, for explain. */
export interface PickStep {
  readonly node: string
  readonly in: readonly Candidate[]
  readonly out: readonly Candidate[]
  readonly result: 'success' | 'failure'
  /** Why it let nothing through, where the step itself says so. */
  readonly error?: string
}

export interface Pick {
  readonly chosen: Endpoint
  readonly reason: string
  readonly trace?: readonly PickStep[]
}

/** No endpoint may take the request for now. `wait`: it stays queued. `shed`: it is refused with `failure`. */
export interface Saturated {
  readonly chosen: undefined
  readonly reason: string
  readonly failure: Failure
  readonly onSaturation: OnSaturation
  readonly trace: readonly PickStep[]
}

export type OnSaturation = 'wait' | 'shed'

export type PickAnswer = Pick | Saturated

/**
 * Chooses which of several ready replicas serves a request; `endpoints` is never empty and in host order.
 * `now` is on the clock of the events; without it no sample counts as stale. A plain `Picker` always chooses; a
 * `Picker<PickAnswer>` may find every endpoint saturated.
 */
export interface Picker<Answer extends PickAnswer = Pick> {
  readonly name: string
  pick(request: PickRequest, endpoints: readonly Endpoint[], now?: number): Answer
  /**
   * Why the only endpoint takes the request; undefined: `pick` has more to say. The same answer without a trace, since one
   * endpoint is no choice: most requests are for a model with one replica. Absent: `pick` is asked.
   */
  takesOnly?(request: PickRequest, endpoint: Endpoint, now?: number): string | undefined
}

/** Makes a picker around the scheduler's own random source, whose state is part of a snapshot. */
export type PickerFactory = (random: RandomSource) => Picker<PickAnswer>
