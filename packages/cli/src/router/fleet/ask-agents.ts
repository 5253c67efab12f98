import type { HostId } from '@lswap/core'
import type { Agent } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import { withDeadline } from '../loop/deadline.ts'

/** What agents say is shown to people, and must not hang on one host. */
const ANSWER_LIMIT_MS = 2_000

export interface AskOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly clock: Clock
}

/** Asks all agents at once. By host; who fails, does not answer in time or has nothing to say (undefined) is left out. */
export const askAgents = async <Value>(
  { agents, clock }: AskOptions,
  ask: (agent: Agent) => Promise<Value | undefined> | undefined,
): Promise<ReadonlyMap<string, Value>> => {
  const answerOf = async (agent: Agent): Promise<Value | undefined> => {
    const asked = ask(agent)
    return asked && withDeadline(asked, { clock, limitMs: ANSWER_LIMIT_MS, what: `host ${agent.host}` })
  }
  const asked = await Promise.all(
    [...agents.values()].map(async (agent) => ({
      host: agent.host,
      answer: await answerOf(agent).catch(() => undefined),
    })),
  )
  return new Map(asked.flatMap(({ host, answer }) => (answer === undefined ? [] : [[host, answer] as const])))
}
