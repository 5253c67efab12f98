import { modelId, type ModelId } from '@lswap/core'
import { agentAboutSchema, claimedSchema, type AgentAbout } from '@lswap/core/protocol'
import { randomUUID } from 'node:crypto'
import type { AgentEvent } from '../agent.ts'
import type { RemoteMemory } from './memory.ts'
import type { Rpc } from './rpc.ts'

/** What an agent says of itself, and the term in which it takes orders of this router. */
export interface About {
  /** Undefined: it was never claimed. */
  term(): number | undefined
  /** Undefined: it was never reached. */
  models(): readonly ModelId[] | undefined
  /** What it said last. */
  told(): AgentAbout | undefined
  /** Asks it. */
  learn(): Promise<AgentAbout>
  /** Takes the host, once in the life of this router: one that was overtaken must not take it back. */
  claim(): Promise<void>
}

export interface AboutOptions {
  /** Used once something is asked. */
  readonly rpc: () => Pick<Rpc, 'json'>
  readonly memory: Pick<RemoteMemory, 'learn'>
  readonly emit: (event: AgentEvent) => void
}

/** What an agent has at hand is answered in this time. */
export const CALL_MS = 2_000
/** A claim waits for the end of loads that an earlier router began. */
const CLAIM_MS = 30_000

export const createAbout = ({ rpc, memory, emit }: AboutOptions): About => {
  const claimant = randomUUID()
  let term: number | undefined
  let models: readonly ModelId[] | undefined
  let told: AgentAbout | undefined
  return {
    term: () => term,
    models: () => models,
    told: () => told,
    learn: async () => {
      const about = await rpc().json({ method: 'GET', path: '/v1/agent', deadlineMs: CALL_MS }, agentAboutSchema)
      const next = about.models.map(modelId)
      const isOther = models === undefined || next.join('\n') !== models.join('\n')
      models = next
      told = about
      if (memory.learn(about)) emit({ type: 'sizes-changed' })
      if (isOther) emit({ type: 'models-changed' })
      return about
    },
    claim: async () => {
      const call = { method: 'POST', path: '/v1/claim', body: { claimant }, deadlineMs: CLAIM_MS } as const
      term ??= (await rpc().json(call, claimedSchema)).term
    },
  }
}
