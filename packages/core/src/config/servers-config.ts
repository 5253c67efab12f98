import type { HostId } from '../ids.ts'
import type { RequestFilters } from './model-config.ts'

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
