import type { HostId } from '@lswap/core'
import type { Agent, ProcessView } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import { withDeadline } from '../loop/deadline.ts'

/** The list is for people and must not hang on one host. */
const ANSWER_LIMIT_MS = 2_000

/** What the agents see, by host; a host that does not answer is left out. */
export const askProcesses = async (
  agents: ReadonlyMap<HostId, Agent>,
  clock: Clock,
): Promise<ReadonlyMap<string, readonly ProcessView[]>> => {
  const answers = await Promise.allSettled(
    [...agents.values()].map(async (agent) => {
      const asked = withDeadline(agent.processes(), { clock, limitMs: ANSWER_LIMIT_MS, what: `host ${agent.host}` })
      return [agent.host, await asked] as const
    }),
  )
  return new Map(answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])))
}
