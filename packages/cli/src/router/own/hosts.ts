import type { AgentMetrics } from '@lswap/core/protocol'
import type { SchedulerView } from '@lswap/core'
import { STALE_MS } from '../feed/host-states.ts'
import { toldFailure, type ToldFailure } from '../feed/told-failure.ts'
import type { HostDetails, HostFacts } from '../fleet/hosts.ts'
import type { Measured } from '../fleet/measured.ts'

/** Something that is wrong with a host, or soon may be. */
export interface HostProblem {
  readonly code: string
  readonly message: string
  readonly hint?: string
}

type Device = AgentMetrics['devices'][number]

/** A host of the router, for `lswap ps --json` and `GET /api/hosts`. Times are milliseconds since 1970. */
export interface ShownHost {
  readonly host: string
  readonly up: boolean
  /** Since when it is so; null: nobody noted it. */
  readonly since: number | null
  /** Why it can not be used. */
  readonly failure: ToldFailure | null
  /** Everything that is wrong with it. */
  readonly problems: readonly HostProblem[]
  /** Of an agent that was reached. */
  readonly url: string | null
  readonly version: string | null
  readonly engines: readonly { readonly executable: string; readonly version: string | null }[]
  /** As they were read last. */
  readonly devices: readonly (Device & { readonly isStale: boolean })[]
  /** Of the machine. */
  readonly memory: AgentMetrics['memory']
}

export interface ShownHostsOptions {
  readonly view: Pick<SchedulerView, 'hosts'>
  readonly facts: HostFacts
  readonly measured: Measured
  readonly now: number
  /** The router's own. */
  readonly version: string
}

/** Every host, with what is wrong with it. */
export const shownHosts = ({ view, facts, measured, now, version }: ShownHostsOptions): readonly ShownHost[] =>
  view.hosts.map(({ host, up }) => {
    const failure = up ? undefined : facts.failure(host)
    const details = facts.details?.(host)
    const metrics = measured.get(host)
    const devices = (metrics?.devices ?? []).map((device) =>
      Object.assign({}, device, { isStale: !up || now - device.sampledAt > STALE_MS }),
    )
    return {
      host,
      up,
      since: details === undefined ? null : Math.round(details.since),
      failure: toldFailure(failure),
      problems: [
        ...(up ? [] : [whyDown(failure)]),
        ...(up ? [...olderVersion(details, version), ...staleOnes(devices, now)] : []),
      ],
      url: details?.url ?? null,
      version: details?.version ?? null,
      engines: details?.engines ?? [],
      devices,
      memory: metrics?.memory ?? null,
    }
  })

const whyDown = (failure: ReturnType<HostFacts['failure']>): HostProblem => {
  if (failure === undefined) return { code: 'host_unreachable', message: 'it does not answer' }
  const { code, message, hint } = failure
  return { code, message, ...(hint === undefined ? {} : { hint }) }
}

const olderVersion = (details: HostDetails | undefined, own: string): readonly HostProblem[] =>
  details?.version === undefined || details.version === own
    ? []
    : [
        {
          code: 'version_differs',
          message: `its lswap is ${details.version}, this one ${own}`,
          hint: 'It works as long as both speak the same protocol; run the same version on both when you can.',
        },
      ]

const staleOnes = (
  devices: readonly { readonly name: string; readonly isStale: boolean; readonly sampledAt: number }[],
  now: number,
): readonly HostProblem[] => {
  const stale = devices.filter(({ isStale }) => isStale)
  const [first] = stale
  if (first === undefined) return []
  const seconds = Math.round((now - Math.min(...stale.map(({ sampledAt }) => sampledAt))) / 1_000)
  const names = stale.map(({ name }) => name).join(', ')
  return [
    {
      code: 'stale_metrics',
      message: `what is known of ${names} is ${seconds} s old`,
      hint: 'See the log of its agent: a tool that fails is named there.',
    },
  ]
}
