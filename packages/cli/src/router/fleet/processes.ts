import type { ProcessView } from '@lswap/agent'
import { askAgents, type AskOptions } from './ask-agents.ts'

/** What the agents see, by host; a host that does not answer is left out. */
export const askProcesses = (options: AskOptions): Promise<ReadonlyMap<string, readonly ProcessView[]>> =>
  askAgents(options, (agent) => agent.processes())
