import * as z from 'zod'
import { failureSchema } from './failure.ts'
import { agentMetricsSchema } from '../metrics/metrics.ts'

/** A line of `GET /v1/events`. Numbers only grow while the agent lives, and none is left out. */
const numbered = { number: z.number(), at: z.number() }

export const agentEventSchema = z.discriminatedUnion('type', [
  /** The first line: the events after `number` follow. `isGap`: some before it are forgotten, and everything is to be read anew. */
  z.object({ type: z.literal('hello'), start: z.string(), number: z.number(), isGap: z.boolean() }),
  z.object({
    ...numbered,
    type: z.literal('process-changed'),
    model: z.string(),
    phase: z.enum(['stopped', 'starting', 'ready', 'stopping']),
    epoch: z.number().nullable(),
  }),
  /** It ended without anybody's order. */
  z.object({
    ...numbered,
    type: z.literal('process-exited'),
    model: z.string(),
    epoch: z.number(),
    failure: failureSchema,
  }),
  /** The agent stopped or changed something on its own, or its models are others: what is known of it is to be read anew. */
  z.object({
    ...numbered,
    type: z.literal('changed'),
    /** Those that start from another definition from now on. */
    models: z.array(z.string()).optional(),
  }),
  /** What its models need is known better: `GET /v1/agent` tells. */
  z.object({ ...numbered, type: z.literal('sized') }),
  /** Only the latest counts, so it has no number and is never repeated. */
  z.object({ type: z.literal('sampled'), metrics: agentMetricsSchema }),
  z.object({
    ...numbered,
    type: z.literal('noticed'),
    level: z.enum(['warn', 'error']),
    text: z.string(),
    model: z.string().nullable(),
  }),
])

export type AgentFeedEvent = z.infer<typeof agentEventSchema>
