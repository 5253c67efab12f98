import type { AgentMetrics, HostState } from '@lswap/core/protocol'
import type { SchedulerView } from '@lswap/core'
import type { HostFacts } from '../fleet/hosts.ts'
import { NOTHING_MEASURED, type Measured } from '../fleet/measured.ts'
import { toldFailure } from './told-failure.ts'

/** A reading that is older than this may be wrong: tools tell once a second, and agents tell us as often. */
export const STALE_MS = 10_000

export interface HostSources {
  readonly view: Pick<SchedulerView, 'hosts'>
  readonly facts: HostFacts
  readonly measured?: Measured
  readonly now: number
}

/** Hosts as people see them. */
export const hostStates = ({ view, facts, measured = NOTHING_MEASURED, now }: HostSources): HostState[] =>
  view.hosts.map(({ host, up }) => {
    const failure = up ? undefined : facts.failure(host)
    const devices = measured.get(host)?.devices ?? []
    return {
      host,
      up,
      devices: devices.map((device) => deviceState(device, !up || now - device.sampledAt > STALE_MS)),
      failure: toldFailure(failure),
    }
  })

const deviceState = (
  { name, totalBytes, usedBytes, use }: AgentMetrics['devices'][number],
  isStale: boolean,
): HostState['devices'][number] => ({ name, totalBytes, usedBytes, use, isStale })
