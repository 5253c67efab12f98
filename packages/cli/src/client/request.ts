import { isRecord, optionalNumber, optionalText, records } from './fields.ts'
import { readWaiting, type Waiting } from './queue.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

export interface RequestSpan {
  readonly type: string
  readonly text: string
  readonly ms: number
}

/** A request with where its time went, as GET /api/requests/{id} tells it. */
export interface ExplainedRequest {
  readonly id: number | undefined
  readonly model: string
  readonly state: string
  readonly host: string | undefined
  readonly priority: number | undefined
  readonly band: string
  readonly durationMs: number | undefined
  readonly error: { readonly code: string; readonly message: string } | undefined
  readonly spans: readonly RequestSpan[]
  /** Why it was that replica, where there was a choice. */
  readonly picked: string | undefined
  /** What it waits for now. */
  readonly waiting: Waiting | undefined
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export const askRequest = async (router: RouterClient, id: string): Promise<ExplainedRequest> => {
  const { body } = await router.ask({
    method: 'GET',
    path: `/api/requests/${encodeURIComponent(id)}`,
    deadlineMs: QUICK_MS,
  })
  const record = isRecord(body) ? body : {}
  const { error, picked, waiting } = record
  return {
    id: optionalNumber(record, 'id'),
    model: optionalText(record, 'model') ?? '?',
    state: optionalText(record, 'state') ?? '?',
    host: optionalText(record, 'host'),
    priority: optionalNumber(record, 'priority'),
    band: optionalText(record, 'band') ?? '?',
    durationMs: optionalNumber(record, 'durationMs'),
    error: isRecord(error)
      ? { code: optionalText(error, 'code') ?? '?', message: optionalText(error, 'message') ?? '?' }
      : undefined,
    spans: records(record['spans']).map((span) => ({
      type: optionalText(span, 'type') ?? '?',
      text: optionalText(span, 'text') ?? '?',
      ms: optionalNumber(span, 'ms') ?? 0,
    })),
    picked: isRecord(picked) ? optionalText(picked, 'reason') : undefined,
    waiting: isRecord(waiting) ? readWaiting(waiting) : undefined,
    document: body,
  }
}
