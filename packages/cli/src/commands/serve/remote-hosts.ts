import type { Agent } from '@lswap/agent'
import type { Config, HostId } from '@lswap/core'
import type { Dialled, DialOptions } from '../../router/fleet/dial.ts'
import type { HostFacts } from '../../router/fleet/hosts.ts'

/** The agents on other machines, of which there may be none. */
export interface RemoteHosts {
  /** Reads what dials them where that is needed: it is not where there are none. */
  load(config: Pick<Config, 'agents'>): Promise<void>
  /** Dials what a configuration names, after its `load`. */
  reconfigure(config: Pick<Config, 'agents'>): void
  /** Resolves when those of the first configuration were reached, or not, or after a moment. */
  tried(): Promise<void>
  agents(): ReadonlyMap<HostId, Agent>
  readonly facts: HostFacts
  release(host: HostId): void
  close(): Promise<void>
}

const NONE: ReadonlyMap<HostId, Agent> = new Map()

export const createRemoteHosts = (options: DialOptions): RemoteHosts => {
  let module: typeof import('../../router/fleet/dial.ts') | undefined
  let dialled: Dialled | undefined
  return {
    load: async ({ agents }) => {
      if (agents.length > 0) module ??= await import('../../router/fleet/dial.ts')
    },
    reconfigure: ({ agents }) => {
      if (dialled === undefined) dialled = agents.length === 0 ? undefined : module?.dial(agents, options)
      else dialled.reconfigure(agents)
    },
    tried: async () => dialled?.tried,
    agents: () => dialled?.agents ?? NONE,
    facts: {
      models: (host) => dialled?.facts.models(host),
      failure: (host) => dialled?.facts.failure(host),
      details: (host) => dialled?.facts.details?.(host),
    },
    release: (host) => dialled?.release(host),
    close: async () => dialled?.close(),
  }
}
