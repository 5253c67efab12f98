import type { Failure } from '@lswap/core'

/** As many as a person or a page wants to see at once. */
const DEFAULT_LIMIT = 100
/** What a list may cost: the run loop makes it, and decides nothing meanwhile. */
export const MAX_LIMIT = 2_000

/** `?limit=`: how much of a list to tell. */
export const readLimit = (query: string): number | Failure => {
  const text = new URLSearchParams(query).get('limit')
  if (text === null) return DEFAULT_LIMIT
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), MAX_LIMIT)
  return { code: 'invalid_request', message: `limit is not a number from 0 to ${MAX_LIMIT}.` }
}
