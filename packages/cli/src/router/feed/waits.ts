import type { ModelId } from '@lswap/core'

/** What requests of a model waited for their grants lately. */
export interface Waits {
  add(model: ModelId, waitedMs: number): void
  /** What 95 of 100 waited at most; undefined: nobody asked yet. */
  p95(model: ModelId): number | undefined
}

/** Enough for a 95th of a hundred to mean something, few enough to follow a change. */
const KEPT = 100

interface Latest {
  readonly waits: Float64Array
  /** How many there ever were. */
  count: number
}

export const createWaits = (): Waits => {
  const latest = new Map<ModelId, Latest>()
  return {
    add: (model, waitedMs) => {
      let known = latest.get(model)
      if (known === undefined) {
        known = { waits: new Float64Array(KEPT), count: 0 }
        latest.set(model, known)
      }
      known.waits[known.count % KEPT] = waitedMs
      known.count += 1
    },
    p95: (model) => {
      const known = latest.get(model)
      if (known === undefined) return undefined
      const sorted = known.waits.slice(0, known.count).toSorted()
      return sorted[Math.ceil(sorted.length * 0.95) - 1]
    },
  }
}
