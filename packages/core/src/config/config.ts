import type { HostId, ModelId } from '../ids.ts'
import type { PolicySettings, SchedulerLimits } from '../schedule/options.ts'

/** One entry under `models`, checked, with macros expanded and defaults filled in. */
export interface ModelConfig {
  readonly id: ModelId
  readonly name: string | undefined
  readonly description: string | undefined
  /** Command line as written: comments and line ends still in it; only `${PORT}` is left to expand. */
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
  readonly onAgentExit: 'stop' | 'keep'
  /** Added to the agent's own environment. */
  readonly env: Readonly<Record<string, string>>
  readonly aliases: readonly string[]
  readonly unlisted: boolean
  readonly useModelName: string | undefined
  /** Idle unload; undefined: never. */
  readonly idleMs: number | undefined
  readonly concurrencyLimit: number | undefined
  readonly queueLimit: number
  readonly pinned: boolean
  readonly hosts: readonly HostId[]
  /** Order between models under `fifo`. */
  readonly fifoPriority: number
}

export interface GroupConfig {
  readonly id: string
  readonly swap: boolean
  readonly exclusive: boolean
  readonly persistent: boolean
  readonly members: readonly ModelId[]
}

export interface Config {
  readonly models: readonly ModelConfig[]
  /** `exclusive`: one model at a time per host. `group`: the groups below decide. */
  readonly swapper: 'exclusive' | 'group'
  readonly groups: readonly GroupConfig[]
  readonly policy: PolicySettings
  readonly limits: SchedulerLimits
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
}

/** Something wrong in a configuration file, with its place; line and column count from 1. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  /** Keys from the top, as in `models.tiny.cmd`. */
  readonly path: string
  readonly message: string
  /** The valid key or value that was probably meant. */
  readonly suggestion?: string
}

export type ConfigReading =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigIssue[] }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] }
