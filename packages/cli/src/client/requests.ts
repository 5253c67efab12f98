import { isRecord, optionalNumber, optionalText, records, type JsonRecord } from './fields.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

/** A request that waits, runs or ended, as GET /api/requests tells it. */
export interface KnownRequest {
  readonly id: number | undefined
  /** Milliseconds since 1970. */
  readonly receivedAt: number | undefined
  readonly model: string
  readonly state: string
  readonly host: string | undefined
  readonly durationMs: number | undefined
  /** Whose key it came with. */
  readonly caller: string | undefined
  /** The code of what went wrong. */
  readonly error: string | undefined
}

export interface KnownRequests {
  readonly requests: readonly KnownRequest[]
  /** How many are known, shown or not. */
  readonly total: number
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export const askRequests = async (router: RouterClient, limit: number): Promise<KnownRequests> => {
  const { body } = await router.ask({ method: 'GET', path: `/api/requests?limit=${limit}`, deadlineMs: QUICK_MS })
  const record = isRecord(body) ? body : {}
  const requests = records(record['requests']).map(readRequest)
  return { requests, total: optionalNumber(record, 'total') ?? requests.length, document: body }
}

const readRequest = (record: JsonRecord): KnownRequest => {
  const { error } = record
  const caller = optionalText(record, 'caller')
  return {
    id: optionalNumber(record, 'id'),
    receivedAt: optionalNumber(record, 'receivedAt'),
    model: optionalText(record, 'model') ?? '?',
    state: optionalText(record, 'state') ?? '?',
    host: optionalText(record, 'host'),
    durationMs: optionalNumber(record, 'durationMs'),
    // What the router calls who needs no key
    caller: caller === 'anonymous' ? undefined : caller,
    error: isRecord(error) ? optionalText(error, 'code') : undefined,
  }
}
