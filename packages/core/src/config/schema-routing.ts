import * as z from 'zod'
import { anyInteger, count, flag, listOf, mapOf, milliseconds, oneOf, section, text } from './schema-kinds.ts'

export const groupsSchema = (): z.ZodRecord<z.ZodString, ReturnType<typeof groupSchema>> => mapOf(groupSchema())
const groupSchema = () => section({ swap: flag(), exclusive: flag(), persistent: flag(), members: listOf(text()) })

export const matrixSchema = () =>
  section({
    vars: mapOf(text()),
    evict_costs: mapOf(count(1)),
    sets: mapOf(text()),
  })

const share = () => z.number({ error: 'a number from 0 to 1' }).min(0, SHARE).max(1, SHARE)
const SHARE = { error: 'a number from 0 to 1' }

/** Thirty years, as for other times. */
const MAX_AGING_SECONDS = 1_000_000_000
const AGING = { error: 'a number of seconds, 0 or more' }
const agingSeconds = () => z.number(AGING).min(0, AGING).max(MAX_AGING_SECONDS, AGING)

/** More than any difference of priorities: never leaves a model that has waiters. */
const MOST_POINTS = 1_000_000
const AFFINITY = { error: 'auto, or a number of points, 0 or more' }
const swapAffinity = () =>
  z.union([z.number(AFFINITY).min(0, AFFINITY).max(MOST_POINTS, AFFINITY), z.literal('auto')], AFFINITY)

const serialSchema = section({
  exclusive: z.union([flag(), z.literal('auto')], { error: 'auto, true or false' }),
  agingSeconds: agingSeconds(),
  swapAffinity: swapAffinity(),
  minResidencyMs: milliseconds(),
  fairShare: flag(),
  backfill: flag(),
})

export const routingSchema = section({
  router: section({
    use: oneOf('group', 'exclusive', 'matrix', 'memory'),
    settings: section({ groups: groupsSchema(), matrix: matrixSchema() }),
  }),
  scheduler: section({
    use: oneOf('fifo', 'serial'),
    settings: section({
      fifo: section({ priority: mapOf(anyInteger()), fairAfterMs: milliseconds() }),
      serial: serialSchema,
    }),
  }),
  picker: section({
    use: oneOf('tree', 'least-loaded', 'prefix'),
    profile: oneOf('llama', 'seed'),
    kvCacheThreshold: share(),
    queueThresholdCritical: count(),
    queueingThresholdLoRA: count(),
    loraAffinityThreshold: share(),
    prefixQueueThreshold: count(),
    onSaturation: oneOf('wait', 'shed'),
    staleAfterMs: milliseconds(),
  }),
})
