import { createRemoteAgent, type RemoteAgent } from '@lswap/agent/client'
import type { AgentConfig, HostId, Redact } from '@lswap/core'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { REPLACED, type HostFacts } from './hosts.ts'

/** The agents on other machines. */
export interface Dialled {
  /** Live: {@link reconfigure} and {@link release} change it. */
  readonly agents: ReadonlyMap<HostId, RemoteAgent>
  readonly facts: HostFacts
  /** Resolves when each was reached or found not to answer, or after a moment: what is there then is served. */
  readonly tried: Promise<void>
  /** Dials those that came, and those whose address, token or certificates are others. Those that went stay until they are released. */
  reconfigure(agents: readonly AgentConfig[]): void
  /** Nothing of it is needed any more. */
  release(host: HostId): void
  /** Lets go of those that were replaced. */
  close(): Promise<void>
}

/** A router starts with what is there. */
const FIRST_MS = 3_000

export interface DialOptions {
  readonly log: Log
  readonly redact: Redact
}

/** Begins to dial every agent. */
export const dial = (first: readonly AgentConfig[], { log, redact }: DialOptions): Dialled => {
  const dialled = new Map<HostId, { readonly agent: RemoteAgent; readonly config: AgentConfig }>()
  const agents = new Map<HostId, RemoteAgent>()
  /** Those whose answers may still come to their end. */
  const replaced = new Set<RemoteAgent>()

  const call = (config: AgentConfig, epochsBefore: number): void => {
    const { id: host, url, token, ca } = config
    const agent = createRemoteAgent({
      host,
      url,
      token,
      log,
      redact,
      epochsBefore,
      ...(ca === undefined ? {} : { ca }),
    })
    dialled.set(host, { agent, config })
    agents.set(host, agent)
  }

  const reconfigure = (next: readonly AgentConfig[]): void => {
    for (const config of next) {
      const known = dialled.get(config.id)
      if (known !== undefined && isSame(known.config, config)) continue
      if (known !== undefined) {
        known.agent.retire(REPLACED)
        replaced.add(known.agent)
      }
      call(config, known?.agent.highestEpoch() ?? 0)
    }
  }

  reconfigure(first)
  return {
    agents,
    facts: {
      models: (host) => agents.get(host)?.models(),
      failure: (host) => agents.get(host)?.failure(),
      details: (host) => agents.get(host)?.details(),
    },
    tried: within(Promise.all([...agents.values()].map(({ tried }) => tried))),
    reconfigure,
    release: (host) => {
      const agent = agents.get(host)
      dialled.delete(host)
      agents.delete(host)
      if (agent !== undefined) void agent.close()
    },
    close: async () => {
      await Promise.all([...replaced].map((agent) => agent.close()))
    },
  }
}

const isSame = (a: AgentConfig, b: AgentConfig): boolean => a.url === b.url && a.token === b.token && a.ca === b.ca

const within = async (all: Promise<unknown>): Promise<void> => {
  const limit = new AbortController()
  await Promise.race([all, pause(FIRST_MS, undefined, { signal: limit.signal }).catch(() => {})])
  limit.abort()
}
