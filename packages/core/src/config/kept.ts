/** Enough for somebody to ask about a request that just failed, at some kilobytes each. */
export const DEFAULT_KEPT = 1_000
/** What is remembered is searched and listed from one end to the other. */
export const MOST_KEPT = 100_000
