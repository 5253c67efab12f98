import type { Config, HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Keyring } from './access/keyring.ts'
import type { OpenStreams } from './answer/streams.ts'
import type { Feed } from './feed/feed.ts'
import type { HostFacts } from './fleet/hosts.ts'
import type { InferenceOptions } from './inference.ts'
import type { OwnLog } from './logs/own-log.ts'
import type { Metrics } from './metrics.ts'
import type { CancelOptions } from './own/cancel.ts'
import type { ReadyOptions } from './own/ready.ts'
import type { Peers } from './peers/peers.ts'
import type { ReloadOutcome } from './reload/outcome.ts'

/** Everything that a request may need to be served, whatever it asks for. */
export interface DispatchOptions extends InferenceOptions {
  readonly peers: Peers
  readonly access: Config['access']
  readonly pulse: ReadyOptions['pulse']
  readonly isClosing: ReadyOptions['isClosing']
  readonly keyring: Keyring
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly hosts: HostFacts
  readonly callOf: CancelOptions['callOf']
  readonly includeAliasesInList: boolean
  readonly limitsOfConfig: Config['limits']
  readonly metrics: Metrics
  readonly feed: Feed
  readonly streams: OpenStreams
  readonly reload: () => Promise<ReloadOutcome>
  readonly ownLog: OwnLog
  readonly version: string
  readonly commit: string
  readonly startedAt: number
}
