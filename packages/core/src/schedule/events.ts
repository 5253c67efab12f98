import type { Failure } from '../errors/failure.ts'
import type { MemoryReport } from '../evict/memory/host-memory.ts'
import type { Epoch, Generation, HostId, ModelId, Placement, RequestId, UnloadId } from '../ids.ts'
import type { Request } from './request.ts'
import type { DrainLimit, SchedulerOptions } from './options.ts'
import type { StopOutcome, SwapResult } from './swap.ts'

// Facts, in the past tense. `now` is in milliseconds on the clock of the loop, never before an earlier event's.

interface Fact<Type extends string> {
  readonly type: Type
  readonly now: number
}

/** A request waits for a decision. */
export interface RequestReceived extends Fact<'request-received'> {
  readonly request: Request
}

/** The client left before a grant. */
export interface RequestCancelled extends Fact<'request-cancelled'> {
  readonly request: RequestId
}

/** Exactly one per `start-swap`. */
export interface SwapDone extends Fact<'swap-done'> {
  readonly generation: Generation
  readonly result: SwapResult
}

/**
 * A grant ended: exactly one per grant. `retry` means that nothing of the upstream's answer had come and the
 * body can be sent again: the request goes back to the queue in its old place. `given-up`: it was cut off before anything
 * of the answer came, and the engine may still be at it.
 */
export interface ServeDone extends Fact<'serve-done'> {
  readonly request: RequestId
  readonly outcome: 'done' | 'retry' | 'given-up'
}

/** Exactly one per `stop`. */
export interface StopDone extends Fact<'stop-done'> {
  readonly generation: Generation
  readonly outcomes: readonly StopOutcome[]
}

/** Somebody wants models gone; answered by the command `answer-unload`. */
export interface UnloadAsked extends Fact<'unload-asked'> {
  readonly unload: UnloadId
  /** `all` leaves pinned models alone unless forced. */
  readonly targets: readonly ModelId[] | 'all'
  readonly drainMs: DrainLimit
  readonly force: boolean
}

/** Somebody wants a model kept loaded, or no longer. */
export interface PinAsked extends Fact<'pin-asked'> {
  readonly model: ModelId
  readonly pinned: boolean
}

/** What was seen of hosts and processes; stamped with the epoch so that stale reports are recognised. */
export type FleetObservation =
  | {
      readonly type: 'host-appeared'
      readonly host: HostId
      readonly ready: readonly ReadyProcess[]
      /** What lives there too and can not be used: it is being started or ended. */
      readonly changing?: readonly ChangingProcess[]
    }
  | { readonly type: 'host-vanished'; readonly host: HostId; readonly failure: Failure }
  /** It left the configuration, and nobody reaches it any more. */
  | { readonly type: 'host-removed'; readonly host: HostId }
  | {
      readonly type: 'process-exited'
      readonly placement: Placement
      readonly epoch: Epoch
      readonly failure: Failure
    }
  /** It is being ended, whoever ordered that, and takes nothing more. What came of it is told by a list, or in answer to the order. */
  | { readonly type: 'process-leaving'; readonly placement: Placement; readonly epoch: Epoch }
  /** They start from another definition from now on, of their agent's own. */
  | { readonly type: 'redefined'; readonly host: HostId; readonly models: readonly ModelId[] }
  | {
      readonly type: 'sampled'
      readonly placement: Placement
      readonly epoch: Epoch
      readonly metrics: EndpointMetrics
    }
  /** Told again only when it says something else. */
  | { readonly type: 'memory-seen'; readonly host: HostId; readonly memory: MemoryReport }

/** What a process told of itself; a number that its engine does not have is absent. */
export interface EndpointMetrics {
  /** Requests in the engine's own queue. */
  readonly waiting?: number
  /** Requests that llama-server put off; its name for `waiting`. */
  readonly deferred?: number
  /** Requests that the engine is at. */
  readonly running?: number
  /** Tokens held by busy slots over capacity, 0 to 1. */
  readonly kv?: number
  /** Adapters loaded there, each once. */
  readonly activeAdapters?: readonly string[]
  readonly maxAdapters?: number
  /** When they were read, on the clock of the events. */
  readonly sampledAt: number
}

/** A process found alive on a host that appeared. */
export interface ReadyProcess {
  readonly model: ModelId
  readonly epoch: Epoch
  readonly slots?: number
  /** What it was started as; absent: its agent alone knows, which has the model's definition, and it counts as what is configured. */
  readonly processHash?: string
}

/** A process found on its way up or down; who ordered that is known elsewhere, or it was the agent itself. */
export interface ChangingProcess {
  readonly model: ModelId
  readonly epoch: Epoch
}

export interface FleetChanged extends Fact<'fleet-changed'> {
  readonly observation: FleetObservation
}

export interface ConfigChanged extends Fact<'config-changed'> {
  readonly options: SchedulerOptions
}

/** Time passed; due whenever `nextTick()` says so. */
export type Ticked = Fact<'ticked'>

export interface ShutdownStarted extends Fact<'shutdown-started'> {
  readonly failure: Failure
}

export type SchedulerEvent =
  | RequestReceived
  | RequestCancelled
  | SwapDone
  | ServeDone
  | StopDone
  | UnloadAsked
  | PinAsked
  | FleetChanged
  | ConfigChanged
  | Ticked
  | ShutdownStarted
