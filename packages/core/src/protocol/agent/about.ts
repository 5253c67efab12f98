import * as z from 'zod'
import { agentMetricsSchema } from '../metrics/metrics.ts'

/** `GET /v1/agent`. No secret is in it. */
export const agentAboutSchema = z.object({
  /** What it calls itself; a router goes by the id that its own file gives the host. */
  id: z.string(),
  version: z.string(),
  protocol: z.number(),
  /** Which start of the agent this is. */
  start: z.string(),
  /** The highest that it has seen. */
  term: z.number(),
  /** Number of the last event before this was told. */
  event: z.number().default(0),
  /** The models that it can run, by id, in the order of its file. */
  models: z.array(z.string()),
  /** What the engines on it say of their version, by the executable. */
  engines: z.array(z.object({ executable: z.string(), version: z.string().nullable() })).default([]),
  devices: agentMetricsSchema.shape.devices.default([]),
  /** What its models need, of those whose size is known; bytes by device, or in all. */
  sizes: z
    .array(
      z.object({
        model: z.string(),
        bytes: z.union([z.number(), z.record(z.string(), z.number())]),
        source: z.enum(['declared', 'measured', 'estimated']),
      }),
    )
    .default([]),
})

export type AgentAbout = z.infer<typeof agentAboutSchema>
