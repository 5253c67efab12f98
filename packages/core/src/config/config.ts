import type { SwapperName } from '../evict/choose.ts'
import type { MatrixOptions } from '../evict/matrix/matrix.ts'
import type { DeviceBytes } from '../evict/memory/sizes.ts'
import type { HostId, ModelId } from '../ids.ts'
import type { PickerSettings } from '../pick/settings.ts'
import type { PolicySettings, SchedulerLimits } from '../schedule/options.ts'
import type { AccessConfig } from './access-config.ts'
import type { ModelConfig } from './model-config.ts'
import type { ProfileConfig, SelectorConfig } from './names-config.ts'
import type { RawConfig } from './schema.ts'
import type { AgentConfig, PeerConfig } from './servers-config.ts'

export interface GroupConfig {
  readonly id: string
  readonly swap: boolean
  readonly exclusive: boolean
  readonly persistent: boolean
  readonly members: readonly ModelId[]
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
  /** What `${env.NAME}` stood for where the name says that it is a secret. Never for messages or logs. */
  readonly secretVariables: readonly string[]
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
  /** Whether each inference request that succeeds is a line of the log; those that fail always are. */
  readonly logRequests: boolean
  /** How many requests that ended are remembered. */
  readonly keptRequests: number
  /** What a running `lswap serve` shows: its own log, what engines print, both or neither. */
  readonly logTo: 'proxy' | 'upstream' | 'both' | 'none'
}

/** llama-swap's names for the layouts of Go's `time` package. */
export type LogTimeFormat = NonNullable<RawConfig['logTimeFormat']>
