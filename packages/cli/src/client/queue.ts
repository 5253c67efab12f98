import { isRecord, optionalNumber, optionalText, records, type JsonRecord } from './fields.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

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

export interface Queue {
  readonly waiting: readonly Waiting[]
  /** How many wait, shown or not. */
  readonly total: number
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export const askQueue = async (router: RouterClient, limit: number): Promise<Queue> => {
  const { body } = await router.ask({ method: 'GET', path: `/api/queue?limit=${limit}`, deadlineMs: QUICK_MS })
  const waiting = isRecord(body) ? records(body['waiting']).map((record) => readWaiting(record)) : []
  const total = isRecord(body) ? optionalNumber(body, 'total') : undefined
  return { waiting, total: total ?? waiting.length, document: body }
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
