import type { HostId } from '@lswap/core'
import type { AgentMetrics } from '@lswap/core/protocol'
import type { Agent } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import { withDeadline } from '../loop/deadline.ts'

/** What hosts measured, by host. */
export type Measured = ReadonlyMap<string, AgentMetrics>

export const NOTHING_MEASURED: Measured = new Map()

/** It is for people and must not hang on one host. */
const ANSWER_LIMIT_MS = 2_000

/** What the agents measured last; a host that does not answer, or measures nothing, is left out. */
export const askMeasured = async (agents: ReadonlyMap<HostId, Agent>, clock: Clock): Promise<Measured> => {
  const answers = await Promise.allSettled(
    [...agents.values()].map(async (agent) => {
      const limit = { clock, limitMs: ANSWER_LIMIT_MS, what: `host ${agent.host}` }
      const metrics = agent.metrics === undefined ? undefined : await withDeadline(agent.metrics(), limit)
      return [agent.host, metrics] as const
    }),
  )
  return new Map(
    answers.flatMap((answer) => {
      if (answer.status === 'rejected') return []
      const [host, metrics] = answer.value
      return metrics === undefined ? [] : [[host, metrics] as const]
    }),
  )
}
