import * as z from 'zod'
import { agentMetricsSchema } from '../metrics/metrics.ts'

/** Why a process ended that somebody told to; every other reason is a failure. */
export const STOPPED_AS_ASKED = 'stopped as asked'

const exitSchema = z.object({
  code: z.number().nullable(),
  signal: z.string().nullable(),
  reason: z.string(),
  lastLines: z.array(z.string()),
})

const processStateSchema = z.object({
  model: z.string(),
  phase: z.enum(['stopped', 'starting', 'ready', 'stopping']),
  /** Which start of the agent's; null while there is no process. */
  epoch: z.number().nullable(),
  pid: z.number().nullable(),
  /** Requests that it serves at once, where it told. */
  slots: z.number().nullable().default(null),
  /** Where the engine listens, on the agent's own machine. */
  url: z.string().nullable(),
  /** Milliseconds since 1970, on the agent's clock. */
  since: z.number(),
  memoryBytes: z.number().nullable(),
  lastExit: exitSchema.nullable(),
})

/** `GET /v1/metrics`: one look at a host. */
export const agentLookSchema = agentMetricsSchema.extend({
  /** Number of the last event that this look knows of. */
  event: z.number(),
  /** A router is in touch with it: orders of anybody else are refused unless they are forced. */
  isInUse: z.boolean().default(false),
  /** One for each model that the host has; the list is complete. */
  states: z.array(processStateSchema),
})

export type ProcessState = z.infer<typeof processStateSchema>
export type AgentLook = z.infer<typeof agentLookSchema>
