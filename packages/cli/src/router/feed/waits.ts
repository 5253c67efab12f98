import type { ModelId } from '@lswap/core'

/** What requests of a model waited for their grants lately. */
export interface Waits {
  add(model: ModelId, waitedMs: number): void
  /** What 95 of 100 waited at most; undefined: nobody asked yet. */
  p95(model: ModelId): number | undefined
}

/** Enough for a 95th of a hundred to mean something, few enough to follow a change. */
const KEPT = 100

export const createWaits = (): Waits => {
  const latest = new Map<ModelId, number[]>()
  return {
    add: (model, waitedMs) => {
      const known = latest.get(model)
      if (known === undefined) latest.set(model, [waitedMs])
      else if (known.push(waitedMs) > KEPT) known.shift()
    },
    p95: (model) => {
      const sorted = latest.get(model)?.toSorted((a, b) => a - b) ?? []
      return sorted[Math.ceil(sorted.length * 0.95) - 1]
    },
  }
}
