import { isRecord, optionalNumber, optionalText, type JsonRecord } from './fields.ts'
import { askList, type List } from './list.ts'
import type { RouterClient } from './router-client.ts'

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

export interface KnownRequests extends List {
  readonly requests: readonly KnownRequest[]
}

export const askRequests = async (router: RouterClient, limit: number): Promise<KnownRequests> => {
  const { rows, ...list } = await askList(router, { path: '/api/requests', field: 'requests', limit })
  return { requests: rows.map((row) => readRequest(row)), ...list }
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
