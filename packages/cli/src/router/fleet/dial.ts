import { createRemoteAgent, type RemoteAgent } from '@lswap/agent/client'
import type { AgentConfig, HostId } from '@lswap/core'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { HostFacts } from './hosts.ts'

/** The agents on other machines. */
export interface Dialled {
  readonly agents: ReadonlyMap<HostId, RemoteAgent>
  readonly facts: HostFacts
  /** Resolves when each was reached or found not to answer, or after a moment: what is there then is served. */
  readonly tried: Promise<void>
}

/** A router starts with what is there. */
const FIRST_MS = 3_000

/** Begins to dial every agent. */
export const dial = (agents: readonly AgentConfig[], log: Log): Dialled => {
  const dialled = new Map(
    agents.map(({ id, url, token, ca }) => [
      id,
      createRemoteAgent({ host: id, url, token, log, ...(ca === undefined ? {} : { ca }) }),
    ]),
  )
  const all = Promise.all([...dialled.values()].map(({ tried }) => tried))
  return {
    agents: dialled,
    facts: {
      models: (host) => dialled.get(host)?.models(),
      failure: (host) => dialled.get(host)?.failure(),
    },
    tried: within(all),
  }
}

const within = async (all: Promise<unknown>): Promise<void> => {
  const limit = new AbortController()
  await Promise.race([all, pause(FIRST_MS, undefined, { signal: limit.signal }).catch(() => {})])
  limit.abort()
}
