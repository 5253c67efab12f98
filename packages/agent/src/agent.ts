import type {
  DrainLimit,
  Epoch,
  Failure,
  Generation,
  HostId,
  MemoryReport,
  ModelId,
  Placement,
  StopOutcome,
  Swap,
  SwapResult,
} from '@lswap/core'
import type { AgentMetrics } from '@lswap/core/protocol'
import type { FollowOptions, LogFollowing } from './logs/follow-log.ts'
import type { ForwardHandler, Forwarding, ForwardRequest } from './forward/exchange.ts'

/** How far a swap is. */
export type SwapProgress =
  | { readonly type: 'stopping'; readonly models: readonly ModelId[] }
  | { readonly type: 'waiting-memory' }
  | { readonly type: 'spawned'; readonly pid: number }
  | { readonly type: 'loading'; /** 0…1 when the engine tells. */ readonly fraction?: number }

export interface StopOrder {
  readonly generation: Generation
  readonly models: readonly ModelId[]
  /** How long running requests may go on before they are cut; 0 cuts now. */
  readonly drainMs: DrainLimit
}

/** What happens on a host without anybody's order. */
export type AgentEvent =
  | {
      readonly type: 'process-exited'
      readonly placement: Placement
      readonly epoch: Epoch
      readonly failure: Failure
    }
  /** It is being ended, whoever ordered that, and takes nothing more; told of hosts of which others may order it. */
  | { readonly type: 'process-leaving'; readonly placement: Placement; readonly epoch: Epoch }
  /** It does not answer any more, or may not be used: nobody knows what runs there. */
  | { readonly type: 'host-lost'; readonly failure: Failure }
  /** It is there, perhaps again, and may run something else than it did: `processes()` tells. */
  | { readonly type: 'host-returned' }
  /** They start from another definition from now on: how earlier starts ended says nothing about the next. */
  | { readonly type: 'redefined'; readonly models: readonly ModelId[] }
  /** It has other models than before. */
  | { readonly type: 'models-changed' }
  /** What its models need is known better than before: `memory()` tells. */
  | { readonly type: 'sizes-changed' }
  /** It measured: `metrics()` has news. Those that only measure when asked say nothing. */
  | { readonly type: 'measured' }

export type ProcessPhase = 'stopped' | 'starting' | 'ready' | 'stopping'

/** The end of a process as a person wants to read it. */
export interface ExitReport {
  readonly code: number | undefined
  readonly signal: string | undefined
  readonly reason: string
  /** The last lines of its output, oldest first, at most 20. */
  readonly lastLines: readonly string[]
}

/** One process of the host, or the trace of its last one. */
export interface ProcessView {
  readonly model: ModelId
  readonly phase: ProcessPhase
  readonly epoch: Epoch | undefined
  readonly pid: number | undefined
  /** Requests that it serves at once, where it told. */
  readonly slots?: number | undefined
  /** What it was started as, of the machine that this runs on; elsewhere the agent has the model's definition, and compares itself. */
  readonly processHash?: string
  /** Base URL of the engine while it runs. */
  readonly url: string | undefined
  readonly since: number
  /** Resident memory of the process group in bytes, where the platform tells. */
  readonly memoryBytes: number | undefined
  readonly lastExit: ExitReport | undefined
}

/**
 * Everything that touches one GPU host. In process it is a class, remotely a client with the same methods; the
 * router never sees the difference. Orders are idempotent by generation.
 */
export interface Agent {
  readonly host: HostId
  /** Never rejects: what goes wrong is in the result. Exactly one result per order. */
  swap(order: Swap, onProgress?: (progress: SwapProgress) => void): Promise<SwapResult>
  /** Gives up a load that nobody wants; the swap's own promise still resolves once. */
  abort(generation: Generation): void
  /** Resolves when the processes are gone and their memory is free, or are known to be stuck. Never rejects. */
  stop(order: StopOrder): Promise<readonly StopOutcome[]>
  /** Sends one request to the process that started as `epoch`; a process of another epoch is an error. */
  forward(placement: Placement, epoch: Epoch, request: ForwardRequest, handler: ForwardHandler): Forwarding
  processes(): Promise<readonly ProcessView[]>
  /** The last lines of a model's output, oldest first. */
  logs(model: ModelId, tail: number): Promise<readonly string[]>
  /** The same, and then what comes. A slow reader loses lines, marked, and never slows the engine. */
  followLogs(model: ModelId, options: FollowOptions): LogFollowing
  subscribe(listener: (event: AgentEvent) => void): () => void
  /** What is measured there, as of now or a moment ago, on our clock; absent: nobody measures. Asking keeps it measured. */
  readonly metrics?: () => Promise<AgentMetrics | undefined>
  /** What models need and may use there, as of now or a moment ago; absent: nobody can tell. */
  readonly memory?: () => Promise<MemoryReport | undefined>
  /** Stops every process in the normal way, within the unload timeouts. Idempotent. */
  close(): Promise<void>
  /** Kills every process now. Idempotent. */
  destroy(): Promise<void>
}
