import type { Failure } from '../../errors/failure.ts'
import type { Epoch, Generation, Placement, PlacementKey } from '../../ids.ts'
import type { HeldPrefixes } from '../../pick/prefix/held.ts'
import type { EndpointMetrics } from '../events.ts'

/** What lives at a placement, as far as the scheduler was told. */
export type ProcessState =
  | { readonly phase: 'stopped' }
  | {
      readonly phase: 'loading'
      readonly generation: Generation
      /** What it was started as; the configuration may say otherwise by now. */
      readonly commandHash: string
      readonly processHash: string
    }
  | {
      readonly phase: 'ready'
      readonly epoch: Epoch
      readonly slots: number
      /** Slots that the engine reported. */
      readonly told?: number
      readonly processHash: string
    }
  /**
   * Its agent starts or ends it on its own account: it takes memory and no work, and what it serves is still counted. A later list of
   * what lives there tells how that ended.
   */
  | { readonly phase: 'changing'; readonly epoch: Epoch }
  /** `epoch` where it was ready before: a report of its end frees the placement. */
  | { readonly phase: 'stuck'; readonly failure: Failure; readonly epoch?: Epoch }

export interface PlacementState {
  readonly placement: Placement
  readonly key: PlacementKey
  process: ProcessState
  /** Since when `process` is what it is. */
  since: number
  /** The swap or stop that told it to go, the latest one: it takes no new work. */
  leaving: Generation | undefined
  /** Granted requests that take a slot, of the present process only. */
  inFlight: number
  /** Granted requests that hold it without a slot. */
  holding: number
  /** When it was last used; meaningful while it is ready and serves nothing. */
  idleSince: number
  /** Since when somebody waits for it to drain. */
  drainingSince: number | undefined
  lastFailure: Failure | undefined
  /** The latest metrics of the present process. */
  sample: EndpointMetrics | undefined
  /** Its running requests that were granted since those were read: the engine's own numbers lack them. */
  dispatchedSince: number
  /** When requests were given up that its engine may still be at, the earliest first. */
  lingering: readonly number[]
  /** What a process was given to read, and which start of it: a later one has none of it. */
  prefixes: { readonly epoch: Epoch; readonly held: HeldPrefixes } | undefined
}

export const newPlacement = (placement: Placement, key: PlacementKey, now: number): PlacementState => ({
  placement,
  key,
  process: { phase: 'stopped' },
  since: now,
  leaving: undefined,
  inFlight: 0,
  holding: 0,
  idleSince: now,
  drainingSince: undefined,
  lastFailure: undefined,
  sample: undefined,
  dispatchedSince: 0,
  lingering: [],
  prefixes: undefined,
})

export const isServing = (state: PlacementState): boolean => state.inFlight + state.holding > 0

/** Ready and open for new work. */
export const isOpen = (state: PlacementState): boolean => state.process.phase === 'ready' && state.leaving === undefined

/** A process that was ready, and may be on its way out. */
export const livesOn = ({ process }: PlacementState): boolean =>
  process.phase === 'ready' || process.phase === 'changing'
