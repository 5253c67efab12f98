import * as z from 'zod'
import { failureSchema } from './failure.ts'

const number = z.number().int().nonnegative()
const amount = z.number().nonnegative()
const model = z.string().min(1)

/**
 * Who orders, and the how-manieth order it is: one counter for swaps, aborts and stops. Both absent: somebody's own hand, which
 * a host refuses while a router uses it unless it is forced.
 */
const given = {
  term: number.positive().optional(),
  seq: number.positive().optional(),
  force: z.boolean().default(false),
}

const isComplete = ({ term, seq }: { term?: number | undefined; seq?: number | undefined }): boolean =>
  (term === undefined) === (seq === undefined)
const INCOMPLETE = { error: 'term and seq belong together', path: ['seq'] }

/** `POST /v1/swap`: stop `evict`, then start `model`. */
export const swapOrderSchema = z
  .object({ ...given, model, evict: z.array(model).default([]), deadlineMs: amount.optional() })
  .refine(isComplete, INCOMPLETE)

/** `POST /v1/abort`: gives up the load that the order `of` of this term began. */
export const abortOrderSchema = z.object({ term: number.positive(), seq: number.positive(), of: number.positive() })

/** `POST /v1/leave`: the client of a request whose body is still to come has left; `upload` is what its head called it. */
export const leaveOrderSchema = z.object({ upload: z.string() })

/** `POST /v1/stop`. */
export const stopOrderSchema = z
  .object({
    ...given,
    models: z.union([z.array(model), z.literal('*')], { error: 'a list of models, or "*"' }),
    /** How long running requests may go on before they are cut. */
    timeoutMs: z.union([amount, z.literal('never')], { error: 'milliseconds, or "never"' }).default(0),
  })
  .refine(isComplete, INCOMPLETE)

/** `POST /v1/claim`: a router that starts takes the host over from every earlier one. Who says who it is gets the same term when it asks again. */
export const claimOrderSchema = z.object({ claimant: z.string().max(100).optional() })
export const claimedSchema = z.object({ term: number.positive() })

const timings = z.object({ stopMs: amount, memoryMs: amount, loadMs: amount })
const evictions = z.array(
  z.object({ model, outcome: z.enum(['stopped', 'kept', 'stuck']), failure: failureSchema.exactOptional() }),
)

/** One line of the answer to a swap. The last one is its one result: `ready`, `failed` or `aborted`. */
export const swapLineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stopping'), models: z.array(model) }),
  z.object({ type: z.literal('waiting_memory') }),
  z.object({ type: z.literal('spawned'), pid: z.number() }),
  z.object({ type: z.literal('loading'), fraction: z.number().exactOptional() }),
  z.object({
    type: z.literal('ready'),
    epoch: number,
    /** Where the engine listens, on the agent's own machine. */
    endpoint: z.string().nullable(),
    slots: z.number().exactOptional(),
    evictions,
    timings,
  }),
  z.object({ type: z.literal('failed'), failure: failureSchema, evictions, timings }),
  z.object({ type: z.literal('aborted'), evictions, timings }),
])

/** The answer to a stop. */
export const stoppedSchema = z.object({
  outcomes: z.array(z.object({ model, outcome: z.enum(['stopped', 'stuck']), failure: failureSchema.exactOptional() })),
})

/** The answer to anything that fails. */
export const refusedSchema = z.object({ error: failureSchema })

export type SwapLine = z.infer<typeof swapLineSchema>
