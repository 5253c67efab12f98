// How waits are summed up.

/** Waits in milliseconds; undefined where there were none. Percentiles by nearest rank, so each is a wait that occurred. */
export interface WaitSummary {
  readonly count: number
  readonly meanMs: number | undefined
  readonly p50Ms: number | undefined
  readonly p95Ms: number | undefined
  readonly p99Ms: number | undefined
  readonly maxMs: number | undefined
}

/** The smallest value that `share` of all values do not exceed; `sorted` ascending. */
export const percentile = (sorted: Float64Array, share: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]

/** Sorts `waits` in place. */
export const summariseWaits = (waits: Float64Array): WaitSummary => {
  waits.sort()
  let sum = 0
  for (const wait of waits) sum += wait
  return {
    count: waits.length,
    meanMs: waits.length === 0 ? undefined : sum / waits.length,
    p50Ms: percentile(waits, 0.5),
    p95Ms: percentile(waits, 0.95),
    p99Ms: percentile(waits, 0.99),
    maxMs: percentile(waits, 1),
  }
}

/** Jain's index: 1 when all are alike, 1/n when one has everything. Of nothing, or of nothing but zeros, 1. */
export const jainIndex = (shares: readonly number[]): number => {
  let sum = 0
  let squares = 0
  for (const share of shares) {
    sum += share
    squares += share * share
  }
  return squares === 0 ? 1 : (sum * sum) / (shares.length * squares)
}
