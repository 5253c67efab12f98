import * as z from 'zod'

// What the router tells of itself in `GET /api/events`. Times (`…At`) are milliseconds since 1970 on the router's clock,
// so that what only grows older needs no event. `null` where nothing is known. Readers ignore fields that they do not know.

const at = z.number()
const bytes = z.number().nullable()

const failureSchema = z.object({ code: z.string(), message: z.string() })

export const routerSchema = z.object({
  version: z.string(),
  startedAt: at,
  /** It takes nothing new any more. */
  isClosing: z.boolean(),
})

const deviceSchema = z.object({
  name: z.string(),
  totalBytes: bytes,
  usedBytes: bytes,
  /** Share of time in use, 0 to 1. */
  use: z.number().nullable(),
  /** It was not read for so long that it may be otherwise now. */
  isStale: z.boolean().exactOptional(),
})

export const hostSchema = z.object({
  host: z.string(),
  /** Its agent answers. */
  up: z.boolean(),
  /** Empty where nothing is known of them. */
  devices: z.array(deviceSchema),
  /** Why it can not be used. */
  failure: failureSchema.nullable().default(null),
  /** Of an agent that is looked at without a router: another router uses it. */
  isInUse: z.boolean().exactOptional(),
})

const sizeSchema = z.object({
  bytes: z.number(),
  /** By device; null: spread over all. */
  devices: z.record(z.string(), z.number()).nullable(),
  /** declared, measured, or estimated. */
  source: z.string(),
})

const placementSchema = z.object({
  host: z.string(),
  /** stopped, loading, ready, stopping, or stuck. */
  state: z.string(),
  since: at,
  /** Requests that it serves at once. */
  slots: z.number().nullable(),
  inFlight: z.number(),
  /** How many requests the engine said that it is at; absent: a router counts them itself, or nobody knows. */
  busySlots: z.number().optional(),
  /** Since when nothing uses it. */
  idleAt: at.nullable(),
  /** When it will be unloaded for being idle. */
  untilAt: at.nullable(),
  pid: z.number().nullable(),
  memoryBytes: bytes,
  /** What it is taken to need there, where that decides what must go; absent: an earlier router. */
  size: sizeSchema.nullable().optional(),
  /** How long a load there usually takes. */
  expectedLoadMs: z.number().nullable(),
  /** Why it is stuck, or why its last start failed. */
  failure: failureSchema.nullable(),
})

export const modelSchema = z.object({
  model: z.string(),
  name: z.string().nullable(),
  /** Other names that it answers to. */
  aliases: z.array(z.string()),
  /** What it is in where it is furthest. */
  state: z.string(),
  pinned: z.boolean(),
  /** When it is loaded again by itself, if nothing else is wanted until then. */
  restoreAt: at.exactOptional(),
  /** Requests that wait for it. */
  waiting: z.number(),
  /** Of its latest requests, what 95 of 100 waited at most. */
  waitP95Ms: z.number().nullable(),
  /** Tokens that its engines made in the last minute, counted as their answers ended; absent: an earlier router. */
  tokensPerSecond: z.number().optional(),
  /** One for each host that may run it. */
  placements: z.array(placementSchema),
})

const askedSchema = z.object({
  id: z.number(),
  model: z.string(),
  band: z.string(),
  priority: z.number(),
  caller: z.string(),
  receivedAt: at,
})

export const waitingSchema = askedSchema.extend({
  /** Place in the order of dispatch, 1 first. */
  position: z.number(),
  /** Grants that it had already. */
  attempts: z.number(),
  /** When its turn is expected; kept while it is about right. */
  estimate: z
    .object({
      lowAt: at,
      medianAt: at,
      highAt: at,
      /** What comes before was never measured: it is known only when that is ended at the latest. */
      isLimit: z.boolean().exactOptional(),
    })
    .nullable(),
  /** Why it waits, in words that stay the same while it does; null until it was looked at. */
  cause: z.object({ type: z.string(), text: z.string() }).nullable(),
})

export const runningSchema = askedSchema.extend({
  host: z.string(),
  grantedAt: at,
  /** When the engine's answer began. */
  answeredAt: at.nullable(),
})

export const endedSchema = askedSchema.extend({
  host: z.string().nullable(),
  /** done, cancelled, or rejected. */
  outcome: z.string(),
  endedAt: at,
  failure: failureSchema.nullable(),
})

export const swapSchema = z.object({
  generation: z.number(),
  model: z.string(),
  host: z.string(),
  evict: z.array(z.string()),
  startedAt: at,
  /** stopping, waiting-memory, or loading; what it was in at its end. */
  phase: z.string(),
  /** How far the load is, 0 to 1, where the engine tells. */
  fraction: z.number().nullable(),
  /** How long the load usually takes. */
  expectedLoadMs: z.number().nullable(),
  /** When the load itself began. */
  loadingAt: at.nullable(),
  endedAt: at.nullable(),
  /** ready, failed, or aborted. */
  result: z.string().nullable(),
  failure: failureSchema.nullable(),
})

export const ratesSchema = z.object({
  requestsPerSecond: z.number(),
  /** Of the last minute, counted as answers ended; null: an earlier router, which does not count them. */
  tokensPerSecond: z.number().nullable(),
  swapsPerMinute: z.number(),
  /** Loads since the start that served no request. */
  wastedLoads: z.number(),
})

export const noticeSchema = z.object({
  number: z.number(),
  at,
  /** warn or error. */
  level: z.string(),
  text: z.string(),
  model: z.string().nullable(),
  host: z.string().nullable(),
})

export const queueSchema = z.object({
  /** How many wait, told or not. */
  total: z.number(),
  bands: z.array(z.object({ band: z.string(), depth: z.number(), dispatched: z.number() })),
})

/** Everything that can be seen of a router at one moment. Lists are in the order in which they are shown. */
export const feedStateSchema = z.object({
  router: routerSchema,
  hosts: z.array(hostSchema),
  models: z.array(modelSchema),
  queue: queueSchema,
  /** The first in line. */
  waiting: z.array(waitingSchema),
  /** The oldest first. */
  running: z.array(runningSchema),
  /** The latest first. */
  ended: z.array(endedSchema),
  /** The latest first: those that run and a few that ended. */
  swaps: z.array(swapSchema),
  rates: ratesSchema,
  /** The latest first. */
  notices: z.array(noticeSchema),
})

export type FeedState = z.infer<typeof feedStateSchema>
export type HostState = FeedState['hosts'][number]
export type ModelState = FeedState['models'][number]
export type ModelNeed = z.infer<typeof sizeSchema>
export type ModelPlacement = ModelState['placements'][number]
export type WaitingState = FeedState['waiting'][number]
export type RunningState = FeedState['running'][number]
export type EndedState = FeedState['ended'][number]
export type SwapState = FeedState['swaps'][number]
export type NoticeState = FeedState['notices'][number]
export type RatesState = FeedState['rates']
