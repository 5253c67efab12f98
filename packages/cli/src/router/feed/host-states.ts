import type { HostState } from '@lswap/core/protocol'
import type { SchedulerView } from '@lswap/core'
import type { HostFacts } from '../fleet/hosts.ts'

/** Hosts as people see them. */
export const hostStates = (view: Pick<SchedulerView, 'hosts'>, facts: HostFacts): HostState[] =>
  view.hosts.map(({ host, up }) => {
    const failure = up ? undefined : facts.failure(host)
    return {
      host,
      up,
      devices: [],
      failure: failure === undefined ? null : { code: failure.code, message: failure.message },
    }
  })
