import { modelId, type Estimate, type QueueEntry, type SchedulerStats, type Unmeasured } from '@lswap/core'
import type { Failure } from '@lswap/core'
import type { Rights } from '../access/rights.ts'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { RunLoop } from '../loop.ts'
import { MAX_LIMIT, readLimit } from './limit.ts'

/** A waiting request: a row of `lswap queue`. */
export interface WaitingRequest {
  readonly id: number
  readonly position: number
  readonly model: string
  readonly band: string
  readonly priority: number
  readonly criticality: string
  readonly caller: string
  readonly receivedAt: number
  readonly waitedMs: number
  readonly attempts: number
  /** Until its grant; null: nobody can say yet, see `unmeasured`. */
  readonly estimate: Estimate | null
  /** What happened never yet and would be needed for (more of) the estimate. */
  readonly unmeasured: readonly Unmeasured[]
  readonly cause: QueueEntry['cause'] | null
  /** The cause as a sentence. */
  readonly why: string
}

export interface QueuePage {
  readonly hosts: readonly {
    readonly host: string
    readonly up: boolean
    readonly placements: readonly {
      readonly model: string
      readonly state: string
      readonly since: number
      readonly pinned: boolean
      readonly slots: number | null
      readonly inFlight: number
    }[]
  }[]
  /** How many wait, shown or not. */
  readonly total: number
  readonly waiting: readonly WaitingRequest[]
  readonly stats: SchedulerStats
}

export interface QueueOptions {
  readonly loop: Pick<RunLoop, 'queue' | 'stats' | 'view'>
  readonly fail: (call: Call, failure: Failure) => void
}

/** Hosts, placements, and who waits in which order and why. `?limit=`: at most so many of those who wait. */
export const serveQueue = ({ loop, fail }: QueueOptions, call: Call): void => {
  const limit = readLimit(call.query)
  if (typeof limit !== 'number') return fail(call, limit)
  return sendJson(call.res, 200, queuePage(loop, limit, call.rights))
}

const queuePage = (loop: QueueOptions['loop'], limit: number, rights: Rights): QueuePage => {
  const { mayUse } = rights
  const { hosts, models } = loop.view()
  const stats = loop.stats()
  return {
    hosts: hosts.map(({ host, up }) => ({
      host,
      up,
      placements: [...models].flatMap(([model, { pinned, placements }]) =>
        placements
          .filter(({ placement, phase }) => placement.host === host && phase !== 'stopped' && mayUse(modelId(model)))
          .map(({ phase, sinceMs, slots, inFlight, holding }) => ({
            model,
            state: phase,
            since: Math.round(sinceMs),
            pinned,
            slots: slots ?? null,
            inFlight: inFlight + holding,
          })),
      ),
    })),
    total: Object.values(stats.bands).reduce((sum, { depth }) => sum + depth, 0),
    waiting: waitingFor(loop, limit, rights),
    stats,
  }
}

/** The first of those whose models a key reaches; the others stand before them all the same. */
export const waitingFor = (
  loop: Pick<RunLoop, 'queue'>,
  limit: number,
  { isRestricted, mayUse }: Pick<Rights, 'isRestricted' | 'mayUse'>,
): readonly WaitingRequest[] =>
  loop
    .queue(isRestricted ? MAX_LIMIT : limit)
    .filter(({ model }) => mayUse(model))
    .slice(0, limit)
    .map((entry) => waitingRequest(entry))

export const waitingRequest = (entry: QueueEntry): WaitingRequest => ({
  id: entry.request,
  position: entry.position,
  model: entry.model,
  band: entry.band,
  priority: entry.priority,
  criticality: entry.criticality,
  caller: entry.caller,
  receivedAt: Math.round(entry.receivedAt),
  waitedMs: Math.round(entry.waitedMs),
  attempts: entry.attempts,
  estimate: entry.estimate === undefined ? null : rounded(entry.estimate),
  unmeasured: entry.unmeasured,
  cause: entry.cause ?? null,
  why: entry.sentence,
})

const rounded = ({ lowMs, medianMs, highMs, isLimit }: Estimate): Estimate => ({
  lowMs: Math.round(lowMs),
  medianMs: Math.round(medianMs),
  highMs: Math.round(highMs),
  ...(isLimit === true ? { isLimit } : {}),
})
