import {
  bandOf,
  spansOf,
  type Failure,
  type PickNote,
  type RequestId,
  type RequestTimeline,
  type Span,
} from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import { toldFailure, type ToldFailure } from '../feed/told-failure.ts'
import type { RequestRecord, RunLoop } from '../loop.ts'
import { readLimit } from './limit.ts'
import { waitingRequest, type WaitingRequest } from './queue.ts'

/** A request that waits, runs, or ended lately. */
export interface ToldRequest {
  readonly id: number
  readonly model: string
  readonly state: RequestRecord['state']
  readonly host: string | null
  readonly priority: number
  readonly band: string
  readonly criticality: string
  readonly caller: string
  /** Milliseconds since 1970. */
  readonly receivedAt: number
  /** From its arrival to its end, or to now. */
  readonly durationMs: number
  readonly error: ToldFailure | null
}

/** One request with where its time went. */
export interface ExplainedRequest extends ToldRequest {
  /** Without gaps: they add up to `durationMs`. */
  readonly spans: readonly Span[]
  /** How its replica was chosen, the latest time; null where there was no choice. */
  readonly picked: { readonly reason: string; readonly steps: readonly PickNote[] } | null
  /** What it waits for now; null when it does not wait. */
  readonly waiting: WaitingRequest | null
}

export interface RequestsOptions {
  readonly loop: Pick<RunLoop, 'explain' | 'records' | 'timelineOf'>
  readonly clock: Pick<Clock, 'now'>
  readonly fail: (call: Call, failure: Failure) => void
}

export const requestNotFound = (id: string): Failure => ({
  code: 'not_found',
  message: `No request ${id.slice(0, 40)} is known: it never waited for a model, or ended long ago.`,
  hint: '`lswap explain` or GET /api/requests lists those that are.',
})

export const listRequests = ({ loop, clock, fail }: RequestsOptions, call: Call): void => {
  const limit = readLimit(call.query)
  if (typeof limit !== 'number') return fail(call, limit)
  const records = loop.records.all().filter(({ asked }) => call.rights.mayUse(asked.model))
  const at = clock.now()
  const requests = records.slice(0, limit).map((record) => toldRequest(record, at))
  return sendJson(call.res, 200, { total: records.length, requests })
}

/** Explains one request. */
export const serveRequest = ({ loop, clock, fail }: RequestsOptions, call: Call, id: RequestId): void => {
  const record = loop.records.find(id)
  const timeline = loop.timelineOf(id)
  if (record === undefined || timeline === undefined) return fail(call, requestNotFound(String(id)))
  const at = clock.now()
  const waiting = loop.explain(id)
  const explained: ExplainedRequest = {
    // From the moment that its spans count from, so that they add up
    ...toldRequest({ ...record, receivedAt: timeline.steps[0]?.at ?? record.receivedAt }, at),
    spans: spansOf(timeline, at),
    picked: pickedOf(timeline),
    waiting: waiting === undefined ? null : waitingRequest(waiting),
  }
  return sendJson(call.res, 200, explained)
}

const pickedOf = ({ steps }: RequestTimeline): ExplainedRequest['picked'] => {
  const granted = steps.findLast((step) => step.type === 'granted')
  return granted?.pick === undefined ? null : { reason: granted.reason, steps: granted.pick }
}

const toldRequest = (record: RequestRecord, now: number): ToldRequest => {
  const { asked, state, placement, receivedAt, endedAt, failure } = record
  return {
    id: asked.id,
    model: asked.model,
    state,
    host: placement?.host ?? null,
    priority: asked.priority,
    band: bandOf(asked.priority),
    criticality: asked.criticality,
    caller: asked.caller,
    receivedAt,
    durationMs: (endedAt ?? now) - receivedAt,
    error: toldFailure(failure),
  }
}
