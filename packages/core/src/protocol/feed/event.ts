import * as z from 'zod'
import {
  endedSchema,
  feedStateSchema,
  hostSchema,
  modelSchema,
  noticeSchema,
  queueSchema,
  ratesSchema,
  routerSchema,
  runningSchema,
  swapSchema,
  waitingSchema,
} from './entities.ts'

/** Every event says when the router looked, on its clock. */
const at = z.number()

const names = z.array(z.string()).nullable()
const numbers = z.array(z.number()).nullable()

/** Facts about a router, in the past tense. `fold` makes the state of them. */
export const feedEventSchema = z.discriminatedUnion('type', [
  /** Everything, from which later events go on. */
  z.object({ type: z.literal('snapshot'), at, state: feedStateSchema }),
  z.object({ type: z.literal('router-changed'), at, router: routerSchema }),
  // `set`: what is new or changed, whole. `order`: the keys of all that is there now, null while that is as before.
  z.object({ type: z.literal('hosts-changed'), at, set: z.array(hostSchema), order: names }),
  z.object({ type: z.literal('models-changed'), at, set: z.array(modelSchema), order: names }),
  z.object({ type: z.literal('running-changed'), at, set: z.array(runningSchema), order: numbers }),
  z.object({ type: z.literal('requests-ended'), at, set: z.array(endedSchema), order: numbers }),
  z.object({ type: z.literal('swaps-changed'), at, set: z.array(swapSchema), order: numbers }),
  z.object({ type: z.literal('noticed'), at, set: z.array(noticeSchema), order: numbers }),
  z.object({
    type: z.literal('waiting-changed'),
    at,
    set: z.array(waitingSchema),
    order: numbers,
    /** The places of those in `order`: a dispatch moves everybody, and is told by numbers alone. */
    positions: z.array(z.number()),
    queue: queueSchema,
  }),
  z.object({ type: z.literal('rates-changed'), at, rates: ratesSchema }),
])

export type FeedEvent = z.infer<typeof feedEventSchema>
