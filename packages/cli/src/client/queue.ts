import { isRecord, optionalNumber, optionalText, records, type JsonRecord } from './fields.ts'
import { askList, type List } from './list.ts'
import type { RouterClient } from './router-client.ts'

export interface Estimate {
  readonly lowMs: number
  readonly medianMs: number
  readonly highMs: number
  /** It is known only when it is at the latest. */
  readonly isLimit?: true
}

/** A waiting request, as GET /api/queue tells it. */
export interface Waiting {
  readonly id: number | undefined
  readonly position: number | undefined
  readonly model: string
  readonly band: string
  readonly priority: number | undefined
  readonly waitedMs: number | undefined
  readonly estimate: Estimate | undefined
  /** What was never measured and is missing for the estimate, as `load time of B`. */
  readonly unmeasured: readonly string[]
  readonly why: string | undefined
}

export interface Queue extends List {
  readonly waiting: readonly Waiting[]
}

export const askQueue = async (router: RouterClient, limit: number): Promise<Queue> => {
  const { rows, ...list } = await askList(router, { path: '/api/queue', field: 'waiting', limit })
  return { waiting: rows.map((row) => readWaiting(row)), ...list }
}

export const readWaiting = (record: JsonRecord): Waiting => ({
  id: optionalNumber(record, 'id'),
  position: optionalNumber(record, 'position'),
  model: optionalText(record, 'model') ?? '?',
  band: optionalText(record, 'band') ?? '?',
  priority: optionalNumber(record, 'priority'),
  waitedMs: optionalNumber(record, 'waitedMs'),
  estimate: readEstimate(record['estimate']),
  unmeasured: records(record['unmeasured']).map(
    (lacks) => `${optionalText(lacks, 'measure') ?? '?'} time of ${optionalText(lacks, 'model') ?? '?'}`,
  ),
  why: optionalText(record, 'why'),
})

const readEstimate = (value: unknown): Estimate | undefined => {
  if (!isRecord(value)) return undefined
  const lowMs = optionalNumber(value, 'lowMs')
  const medianMs = optionalNumber(value, 'medianMs')
  const highMs = optionalNumber(value, 'highMs')
  if (lowMs === undefined || medianMs === undefined || highMs === undefined) return undefined
  return { lowMs, medianMs, highMs, ...(value['isLimit'] === true ? { isLimit: true } : {}) }
}
