import type { AgentMetrics } from '@lswap/core/protocol'
import { askAgents, type AskOptions } from './ask-agents.ts'

/** What hosts measured, by host. */
export type Measured = ReadonlyMap<string, AgentMetrics>

export const NOTHING_MEASURED: Measured = new Map()

/** What the agents measured last; a host that does not answer, or measures nothing, is left out. */
export const askMeasured = (options: AskOptions): Promise<Measured> => askAgents(options, (agent) => agent.metrics?.())
