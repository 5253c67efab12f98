import type { CallerId, ModelId } from '../ids.ts'

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
