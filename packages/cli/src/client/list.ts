import { isRecord, optionalNumber, records, type JsonRecord } from './fields.ts'
import { QUICK_MS, type RouterClient } from './router-client.ts'

/** A list of the router, cut at some length. */
export interface List {
  /** How many there are, shown or not. */
  readonly total: number
  /** The router's own document, for `--json`. */
  readonly document: unknown
}

export interface AskedList {
  readonly path: string
  /** The field of the document that holds the rows. */
  readonly field: string
  /** At most so many rows. */
  readonly limit: number
}

export const askList = async (
  router: RouterClient,
  { path, field, limit }: AskedList,
): Promise<List & { readonly rows: readonly JsonRecord[] }> => {
  const { body } = await router.ask({ method: 'GET', path: `${path}?limit=${limit}`, deadlineMs: QUICK_MS })
  const record = isRecord(body) ? body : {}
  const rows = records(record[field])
  return { rows, total: optionalNumber(record, 'total') ?? rows.length, document: body }
}
