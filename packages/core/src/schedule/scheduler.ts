import type { Failure } from '../errors/failure.ts'
import type { ModelSize } from '../evict/memory/sizes.ts'
import type { QueueEntry } from '../explain/queue.ts'
import type { Epoch, Generation, HostId, Placement, RequestId } from '../ids.ts'
import type { RequestTimeline } from '../timeline/timeline.ts'
import type { Command } from './commands.ts'
import type {
  ConfigChanged,
  FleetChanged,
  PinAsked,
  RequestCancelled,
  RequestReceived,
  ServeDone,
  ShutdownStarted,
  StopDone,
  SwapDone,
  Ticked,
  UnloadAsked,
} from './events.ts'
import type { Band } from './request.ts'

/**
 * Decides what happens to each request. Every method runs to completion and returns the commands that the loop
 * then carries out; nothing calls back. Deterministic: the same events give the same commands.
 */
export interface Scheduler {
  onRequest(event: RequestReceived): Command[]
  onCancel(event: RequestCancelled): Command[]
  onSwapDone(event: SwapDone): Command[]
  onServeDone(event: ServeDone): Command[]
  onStopDone(event: StopDone): Command[]
  onUnload(event: UnloadAsked): Command[]
  onPin(event: PinAsked): Command[]
  onFleetChange(event: FleetChanged): Command[]
  onConfig(event: ConfigChanged): Command[]
  onTick(event: Ticked): Command[]
  onShutdown(event: ShutdownStarted): Command[]

  /** When `onTick` is due, on the clock of the events; undefined: nothing waits for time alone. */
  nextTick(): number | undefined
  /** Place in the order of dispatch, 1 first; undefined when the request does not wait. */
  positionOf(request: RequestId): number | undefined
  /** Where the request's time went so far; undefined when it is neither waiting nor granted, nor rejected by the latest event. */
  timelineOf(request: RequestId): RequestTimeline | undefined
  /** Why the request waits now; undefined when it does not wait. */
  causeOf(request: RequestId): WaitCause | undefined
  /** The waiting requests in the order of dispatch, at most `limit`. O(n log n), for people; changes nothing. */
  queue(now: number, limit?: number): readonly QueueEntry[]
  /** The same of one request; undefined when it does not wait. */
  explain(request: RequestId, now: number): QueueEntry | undefined
  stats(now: number): SchedulerStats
  view(now: number): SchedulerView
  /** The whole state as JSON data; a scheduler restored from it gives the same later commands. */
  snapshot(): unknown
}

/** Why a request waits, for people and for metrics (`type`). */
export type WaitCause =
  /** The model's load is running. */
  | { readonly type: 'loading'; readonly placement: Placement; readonly sinceMs: number }
  /** Every slot of the model is taken. */
  | { readonly type: 'slots-full'; readonly placement: Placement; readonly slots: number }
  /** Its replicas have free slots, and the picker finds none of them fit for a request that may be put off. */
  | { readonly type: 'saturated'; readonly placements: readonly Placement[]; readonly reason: string }
  /** Models that must go still serve. */
  | {
      readonly type: 'draining'
      readonly models: readonly Placement[]
      /** For what they must go, where sizes decide it. */
      readonly need?: string
    }
  /** Another swap on the host is running. */
  | { readonly type: 'swap-running'; readonly placement: Placement; readonly generation: Generation }
  /** The model itself is being stopped first. */
  | { readonly type: 'stopping'; readonly placement: Placement }
  /** A model that must go was loaded only just now, and somebody wants it. */
  | {
      readonly type: 'residency'
      readonly placement: Placement
      /** On the clock of the events. */ readonly until: number
    }
  /** Its caller has as many requests under way as it may. */
  | { readonly type: 'caller-cap'; readonly limit: number }
  /** Room is kept for a request that comes first. */
  | { readonly type: 'held-for'; readonly request: RequestId }
  /** A process that would not end keeps its memory. */
  | { readonly type: 'stuck'; readonly placement: Placement; readonly failure: Failure }
  /** The model broke at its last starts and is left alone for a while. */
  | {
      readonly type: 'cooldown'
      readonly placement: Placement
      /** On the clock of the events. */ readonly until: number
    }
  /** No host that may run it is reachable. */
  | { readonly type: 'no-host' }

export interface BandStats {
  readonly depth: number
  readonly oldestWaitMs: number
  readonly dispatched: number
}

export interface SchedulerStats {
  readonly bands: Readonly<Record<Band, BandStats>>
  /** Dispatches in which aging changed which request was picked. */
  readonly agingReorders: number
  /** Dispatches in which swap affinity changed which request was picked. */
  readonly affinityReorders: number
}

export type PlacementPhase = 'stopped' | 'loading' | 'ready' | 'stopping' | 'stuck'

export interface PlacementView {
  readonly placement: Placement
  readonly phase: PlacementPhase
  readonly sinceMs: number
  readonly epoch?: Epoch
  readonly slots?: number
  /** Requests that take a slot. */
  readonly inFlight: number
  /** Requests that hold the model without a slot. */
  readonly holding: number
  /** Since when nothing used it, on the clock of the events. */
  readonly idleSince?: number
  /** When idle unload is due, on the clock of the events. */
  readonly idleUntil?: number
  /** How long a load there usually takes; absent: never measured. */
  readonly expectedLoadMs?: number
  /** What it is taken to need there, where that decides what must go. */
  readonly size?: ModelSize
  readonly lastFailure?: Failure
}

export interface ModelView {
  readonly waiting: number
  readonly pinned: boolean
  /** When it is loaded again by itself if nothing else is wanted until then, on the clock of the events. */
  readonly restoreAt?: number
  /** What its loads usually take, where they are quickest; absent: none was measured yet. */
  readonly expectedLoadMs?: number
  readonly placements: readonly PlacementView[]
}

export interface HostView {
  readonly host: HostId
  /** Its agent answers. */
  readonly up: boolean
}

export interface SchedulerView {
  /** Every host that was heard of, by id. */
  readonly hosts: readonly HostView[]
  /** Configured ones, and those that left the configuration and still run. */
  readonly models: ReadonlyMap<string, ModelView>
}
