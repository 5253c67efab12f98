import type { SwapperName } from '../evict/choose.ts'
import type { MatrixOptions } from '../evict/matrix/matrix.ts'
import type { DeviceBytes } from '../evict/memory/sizes.ts'
import type { CallerId, HostId, ModelId } from '../ids.ts'
import type { PickerSettings } from '../pick/settings.ts'
import type { PolicySettings, SchedulerLimits } from '../schedule/options.ts'
import type { Criticality } from '../schedule/request.ts'
import type { RawConfig } from './schema.ts'

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

/** Limits on connections to a server, in milliseconds; 0: none. Those that are absent have the forwarder's defaults. */
export interface ConnectionTimeouts {
  readonly connectMs?: number
  /** From the end of the request to the first byte of the answer. */
  readonly responseHeaderMs?: number
  /** How long an unused connection is kept. */
  readonly idleMs?: number
  /** Silence after which TCP asks whether the other side is there. */
  readonly keepAliveMs?: number
  readonly tlsHandshakeMs?: number
}

/** A name that stands for one of several models, chosen for each request. */
export interface SelectorConfig {
  readonly id: string
  /** `pin`: the first · `warm`: the first that is loaded, else that loads, else the first · `spillover`: fills one after the other. */
  readonly strategy: 'pin' | 'warm' | 'spillover'
  /** Names as they are written, of models and aliases of this file and of models of peers. */
  readonly targets: readonly string[]
  /** Requests of one target at once before the next one is used. */
  readonly spillover: number
  readonly name: string | undefined
  readonly description: string | undefined
  readonly unlisted: boolean
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** What names mean while the profile is active. */
export interface ProfileConfig {
  readonly id: string
  readonly description: string | undefined
  /** `target` undefined: the name means nothing. */
  readonly pins: readonly { readonly name: string; readonly target: string | undefined }[]
}

/** Another server whose models can be asked for here, as `<id>/<model>`. */
export interface PeerConfig {
  readonly id: string
  /** Put before the path of each request; without a slash at its end. */
  readonly proxy: string
  readonly models: readonly string[]
  /** The peer's own. Never for messages or logs. */
  readonly apiKey?: string
  readonly filters: RequestFilters
  readonly timeouts: ConnectionTimeouts
}

/** An agent on another machine, or in another process. */
export interface AgentConfig {
  readonly id: HostId
  readonly url: string
  /** Never for messages or logs. */
  readonly token: string
  /** Certificates that are trusted for it, in PEM. */
  readonly ca?: string
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

export interface GroupConfig {
  readonly id: string
  readonly swap: boolean
  readonly exclusive: boolean
  readonly persistent: boolean
  readonly members: readonly ModelId[]
}

/** What a key may be good for: inference · lists, logs and metrics · loads, unloads, pins, cancels and reloads. */
export type Scope = 'infer' | 'read' | 'admin'

/** An API key and what its bearer may do. */
export interface KeyConfig {
  /** Never for messages or logs. */
  readonly secret: string
  /** What logs, queues and limits call its bearer; unique. */
  readonly name: CallerId
  readonly scopes: readonly Scope[]
  /** The models that it reaches; undefined: all. */
  readonly models: readonly ModelId[] | undefined
  /** Requests that ask for more get this much. */
  readonly maxPriority: number | undefined
  /** How many of its requests may be queued or served at once. */
  readonly concurrency: number | undefined
}

/** Who may come in. */
export interface AccessConfig {
  /** Without any, whoever reaches the address may do everything. */
  readonly keys: readonly KeyConfig[]
  /** Origins of other sites whose pages may send requests, as browsers write them. */
  readonly cors: readonly string[]
  /** More names of this machine, in lower case; `*.example.org` stands for every name below it. */
  readonly allowedHosts: readonly string[]
}

/** How large bodies of requests may be, in bytes: one of JSON, one form; all that wait together, in memory and in files. */
export interface BodyLimits {
  readonly maxBodyBytes?: number
  readonly maxUploadBytes?: number
  readonly waitingBodyMemory?: number
  readonly waitingBodyDisk?: number
}

export interface Config {
  readonly models: readonly ModelConfig[]
  /** What decides which models must go when one is loaded. */
  readonly swapper: SwapperName
  /** Why it is that one: part of a sentence for people. */
  readonly swapperReason: string
  readonly groups: readonly GroupConfig[]
  /** Without sets where no matrix is configured. */
  readonly matrix: MatrixOptions
  /** Devices that are declared, with their memory. */
  readonly devices: ReadonlyMap<HostId, DeviceBytes>
  readonly picker: PickerSettings
  readonly policy: PolicySettings
  readonly limits: SchedulerLimits
  /** Those that the file gives. */
  readonly bodies: BodyLimits
  readonly access: AccessConfig
  /** Aliases are models of their own in lists. */
  readonly includeAliasesInList: boolean
  /** Where the ports of models begin. */
  readonly startPort: number
  /** Regular expressions of paths below `/upstream/{model}` that never load the model, as they are written. */
  readonly ignorePaths: readonly string[]
  readonly selectors: readonly SelectorConfig[]
  readonly profiles: readonly ProfileConfig[]
  readonly peers: readonly PeerConfig[]
  readonly agents: readonly AgentConfig[]
  /** Whether this machine runs models too. */
  readonly embeddedAgent: boolean
  /** Loaded at the start, in this order. */
  readonly preload: readonly ModelId[]
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** How lines for people tell the time, by llama-swap's names; empty: hours, minutes, seconds. */
  readonly logTimeFormat: LogTimeFormat
  /** What a running `lswap serve` shows: its own log, what engines print, both or neither. */
  readonly logTo: 'proxy' | 'upstream' | 'both' | 'none'
}

/** llama-swap's names for the layouts of Go's `time` package. */
export type LogTimeFormat = NonNullable<RawConfig['logTimeFormat']>

/** Something wrong in a configuration file, with its place; line and column count from 1. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  /** Behind the key or value that it is about. */
  readonly endLine: number
  readonly endColumn: number
  /** Keys from the top, as in `models.tiny.cmd`. */
  readonly path: string
  readonly message: string
  /** The valid key or value that was probably meant. */
  readonly suggestion?: string
}

export type ConfigReading =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigIssue[] }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] }
