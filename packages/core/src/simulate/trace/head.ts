import * as z from 'zod'
import { fleetSchema } from '../fleet.ts'

// A trace's first line: it says everything that the requests are made from. Every number has a bound, as the line
// comes from a file and a slip of the keyboard must not fill the memory.

/** Some hundred megabytes of a simulation's memory, and half a minute of its time. */
export const MAX_REQUESTS = 2_000_000

const count = (most: number) => z.int().min(1).max(most)
const requests = count(MAX_REQUESTS)
const models = count(1_000)
const callers = count(10_000)
/** A hundred days. */
const ms = z.number().min(0).max(8_640_000_000)
const tokens = z.number().min(1).max(1_000_000)
const share = z.number().min(0).max(1)
const priority = z.int().min(-100).max(100)

const generated = <Kind extends string, Params extends z.ZodType>(kind: Kind, params: Params) =>
  z.strictObject({
    kind: z.literal(kind),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    params,
    fleet: fleetSchema.optional(),
  })

/** Models in turn, A B A B …: the worst case for whoever swaps at each request. */
const abab = generated('abab', z.strictObject({ models: models.min(2), requests, gapMs: ms, jitter: share, tokens }))

/** Independent arrivals; each model is `skew` times as popular as the next. */
const poisson = generated(
  'poisson',
  z.strictObject({
    models,
    requests,
    callers,
    meanGapMs: ms,
    skew: z.number().min(1).max(100),
    tokens,
    urgentShare: share,
    batchShare: share,
  }),
)

/** Programs that ask, think for at most `thinkMs` after the answer would have come, and ask again. */
const agents = generated(
  'agents',
  z.strictObject({
    models,
    agents: callers,
    /** Turns of one task; then the agent rests and takes up another one, with another model perhaps. */
    turns: count(10_000),
    tasks: count(10_000),
    thinkMs: ms,
    restMs: ms,
    /** What the agent's answers take: arrivals do not wait for the simulated ones. */
    msPerToken: ms,
    tokens,
  }),
)

/** Batch jobs that come all at once, and people who ask for other models meanwhile. */
const mixed = generated(
  'mixed',
  z.strictObject({
    batchModels: models,
    batches: count(10_000),
    batchSize: count(1_000_000),
    batchEveryMs: ms,
    batchTokens: tokens,
    batchPriority: priority.max(-1),
    interactiveModels: models,
    callers,
    meanGapMs: ms.min(1),
    tokens,
    urgentShare: share,
    urgentPriority: priority.min(1),
  }),
)

/** A quiet background, and now and then many requests for one model at once. */
const bursts = generated(
  'bursts',
  z.strictObject({
    models,
    durationMs: ms,
    callers,
    meanGapMs: ms.min(1),
    meanBurstGapMs: ms.min(1),
    burstSize: count(1_000_000),
    burstMs: ms,
    burstPriority: priority,
    tokens,
  }),
)

/** Conversations that go on after a pause: each time the engine is given all that was said, behind a system prompt that many share. */
const conversations = generated(
  'conversations',
  z.strictObject({
    /** How many there are; each is one caller's. */
    conversations: count(100_000),
    turns: count(10_000),
    systems: count(10_000),
    systemTokens: z.int().min(0).max(1_000_000),
    /** What is said in one turn. */
    turnTokens: tokens,
    /** From the start of one to that of the next. */
    meanGapMs: ms,
    thinkMs: ms,
    /** What the answers take: arrivals do not wait for the simulated ones. */
    msPerToken: ms,
    tokens,
  }),
)

/** Written down elsewhere: every request has its line. */
const recorded = z.strictObject({ kind: z.literal('recorded'), fleet: fleetSchema.optional() })

export const headSchema = z.discriminatedUnion('kind', [abab, poisson, agents, mixed, bursts, conversations, recorded])

export type TraceHead = z.output<typeof headSchema>
export type GeneratedHead = Exclude<TraceHead, { kind: 'recorded' }>
export type ParamsOf<Kind extends GeneratedHead['kind']> = Extract<GeneratedHead, { kind: Kind }>['params']
