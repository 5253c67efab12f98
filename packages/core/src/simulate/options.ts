import { exclusive } from '../evict/exclusive.ts'
import type { Swapper } from '../evict/swapper.ts'
import { leastLoaded } from '../pick/least-loaded.ts'
import type { PolicySettings, SchedulerOptions } from '../schedule/options.ts'
import type { Fleet } from './fleet.ts'
import type { Trace } from './trace/trace.ts'

export interface OptionsParts {
  readonly policy: PolicySettings
  /** Default: `exclusive`. */
  readonly swapper?: Swapper
  /** Default: the least loaded. */
  readonly picker?: SchedulerOptions['picker']
}

/** Options for a trace without a configuration: every model on every host, and no limit that refuses or cuts a request. */
export const optionsFor = (
  trace: Trace,
  fleet: Fleet,
  { policy, swapper = exclusive, picker = leastLoaded }: OptionsParts,
): SchedulerOptions => ({
  policy,
  models: trace.models.map((id) => ({
    id,
    hosts: fleet.hosts.map((host) => host.id),
    commandHash: id,
    processHash: id,
    queueLimit: Number.MAX_SAFE_INTEGER,
    priority: 0,
    pinned: false,
  })),
  limits: {
    maxQueued: Number.MAX_SAFE_INTEGER,
    queueTimeoutMs: Number.MAX_SAFE_INTEGER,
    drainTimeoutMs: 'never',
  },
  swapper,
  picker,
})
