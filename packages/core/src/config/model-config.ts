import type { DeviceBytes } from '../evict/memory/sizes.ts'
import type { HostId, ModelId } from '../ids.ts'
import type { Criticality } from '../schedule/request.ts'
import type { ConnectionTimeouts } from './servers-config.ts'

/** One entry under `models`, checked, with macros expanded and defaults filled in. */
export interface ModelConfig {
  readonly id: ModelId
  readonly name: string | undefined
  readonly description: string | undefined
  /** Command line as written: comments and line ends still in it; only `${PORT}` is left to expand. Empty: agents have their own. */
  readonly cmd: string
  /** Run instead of the stop signal; `${PID}` and `${PORT}` are left to expand. */
  readonly cmdStop: string | undefined
  /** Where the engine listens when that is not `http://127.0.0.1:${PORT}`. */
  readonly proxy: string | undefined
  /** The stable port that `${PORT}` stands for; the agent takes another when a stranger holds it. */
  readonly port: number
  /** Path that answers 200 once the engine is ready, or `none`. */
  readonly checkEndpoint: string
  readonly healthCheckTimeoutMs: number
  readonly unloadTimeoutMs: number
  readonly stopSignal: string
  /** Commands before its start and once it is ready. */
  readonly hooks?: ModelHooks
  /** False: it is never killed; one that does not end as asked is stuck. */
  readonly forceKill?: false
  readonly onAgentExit: 'stop' | 'keep'
  /** Added to the agent's own environment. */
  readonly env: Readonly<Record<string, string>>
  readonly aliases: readonly string[]
  readonly unlisted: boolean
  readonly useModelName: string | undefined
  readonly filters: RequestFilters
  /** Idle unload; undefined: never. */
  readonly idleMs: number | undefined
  /** Loaded again when nothing else was wanted for this long, and not unloaded for being idle. */
  readonly restoreMs?: number
  readonly concurrencyLimit: number | undefined
  readonly queueLimit: number
  /** The key that the engine itself wants. Never for messages or logs. */
  readonly apiKey?: string
  readonly adapters?: readonly AdapterConfig[]
  /** Its conversations are kept across swaps. */
  readonly saveSlots?: true
  readonly timeouts?: ConnectionTimeouts
  readonly pinned: boolean
  /** Those that may run it; of agents only those that have it do. */
  readonly hosts: readonly HostId[]
  /** Order between models under `fifo`. */
  readonly fifoPriority: number
  /** The priority of a request that names none; −100…100. */
  readonly priority: number
  /** The criticality of a request that names none; undefined: it follows from the priority. */
  readonly criticality: Criticality | undefined
  /** A chat stream that waits for it is told how far the load and the queue are. */
  readonly sendLoadingState: boolean
  /** Whether streams that wait get an early head and comments; undefined: those that ask for it. */
  readonly heartbeat: boolean | undefined
  /** How long a request waits for its turn when it hears nothing meanwhile; absent: as long as any. */
  readonly maxWaitMs?: number
  /** Whatever its operator wants to have listed with it. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined
  readonly capabilities: ModelCapabilities | undefined
  /** What it needs, declared: bytes on each device, or a number for all devices together. */
  readonly memory: number | DeviceBytes | undefined
  /** Its WebSockets never load it. */
  readonly ignoreWebsockets?: boolean
}

export type Modality = 'text' | 'audio' | 'image'

/** What a model can do, for lists: nothing is refused by it. */
export interface ModelCapabilities {
  readonly in: readonly Modality[]
  readonly out: readonly Modality[]
  readonly tools: boolean
  readonly reranker: boolean
  /** Tokens; 0: not said. */
  readonly context: number
}

/** A LoRA that requests may ask for by a name of its own. */
export type AdapterConfig =
  | {
      readonly alias: string
      /** The engine's number for it. */
      readonly id: number
      readonly scale: number
      /** lswap loads it, and it acts on no request but those that ask for it. */
      readonly startsOff?: true
    }
  | {
      readonly alias: string
      /** What the engine calls it as a model. */
      readonly engineName: string
    }

/** A command around a load. */
export interface HookConfig {
  readonly cmd: string
  readonly timeoutMs: number
  /** Its failure is the load's. */
  readonly required: boolean
}

export interface ModelHooks {
  readonly before: readonly HookConfig[]
  readonly after: readonly HookConfig[]
}

/** A key of a request's JSON and the value that it gets. */
export interface SetParam {
  readonly key: string
  /** As JSON text. */
  readonly json: string
}

/** What is edited at the top level of a request's JSON, after `useModelName`, in this order. Never `model`. */
export interface RequestFilters {
  readonly stripParams: readonly string[]
  readonly setParams: readonly SetParam[]
  /** For requests that call the model by this name, which is an alias too. */
  readonly setParamsById: readonly { readonly name: string; readonly params: readonly SetParam[] }[]
}
