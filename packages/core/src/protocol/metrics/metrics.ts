import * as z from 'zod'

// What an agent measures on its machine, as `GET /v1/metrics` tells it. Times are milliseconds since 1970 on the agent's
// clock; `null` where nothing is known: a number that nobody could read is neither zero nor idle.

const at = z.number()
const bytes = z.number().nullable()

/** One device with memory of its own; the machine's memory is one where models have no other. */
const deviceMetricsSchema = z.object({
  /** As the configuration calls it: gpu0, gpu1 …, host, or a declared name. */
  name: z.string(),
  /** Its maker's name for it. */
  label: z.string().nullable(),
  /** nvidia, amd, apple, host, or declared. */
  source: z.string(),
  totalBytes: bytes,
  usedBytes: bytes,
  /** Share of time in use, 0 to 1. */
  use: z.number().nullable(),
  temperatureC: z.number().nullable(),
  powerWatts: z.number().nullable(),
  /** What models may use of it: all but what other programs use now. */
  roomBytes: bytes.optional(),
  /** What other programs use now. */
  othersBytes: bytes.optional(),
  sampledAt: at,
})

/** What an engine told of itself, by the names of the scheduler; what its engine does not have is absent. */
const engineMetricsSchema = z.object({
  waiting: z.number().exactOptional(),
  deferred: z.number().exactOptional(),
  running: z.number().exactOptional(),
  kv: z.number().exactOptional(),
  activeAdapters: z.array(z.string()).exactOptional(),
  maxAdapters: z.number().exactOptional(),
  sampledAt: at,
})

const processMetricsSchema = z.object({
  model: z.string(),
  epoch: z.number().nullable(),
  pid: z.number().nullable(),
  /** Resident memory of the process and everything below it. */
  memoryBytes: bytes,
  /** Device memory by device; null where no tool tells whose it is. */
  deviceBytes: z.record(z.string(), z.number()).nullable(),
  engine: engineMetricsSchema.nullable(),
})

/** One snapshot of a machine. */
export const agentMetricsSchema = z.object({
  at,
  /** Memory of the machine, or of the group that it is limited to. */
  memory: z.object({ totalBytes: z.number(), availableBytes: z.number() }).nullable(),
  devices: z.array(deviceMetricsSchema),
  processes: z.array(processMetricsSchema),
})

export type AgentMetrics = z.infer<typeof agentMetricsSchema>
