import {
  placementKey,
  type Placement,
  type PlacementKey,
  type StopOutcome,
  type Swap,
  type SwapResult,
} from '@lswap/core'

/** Loads that served no request until their end. */
export interface WastedLoads {
  granted(placement: Placement): void
  swapEnded(swap: Swap, result: SwapResult): void
  stopEnded(outcomes: readonly StopOutcome[]): void
  count(): number
}

export const createWastedLoads = (): WastedLoads => {
  const unused = new Set<PlacementKey>()
  let wasted = 0
  const gone = (placement: Placement): void => {
    if (unused.delete(placementKey(placement))) wasted += 1
  }
  return {
    granted: (placement) => {
      // Asked for each request, and the key is a new text each time
      if (unused.size > 0) unused.delete(placementKey(placement))
    },
    swapEnded: ({ model, host }, { outcome, evictions }) => {
      for (const eviction of evictions) if (eviction.outcome === 'stopped') gone({ model: eviction.model, host })
      // One that crashed unused is found when it is loaded again
      gone({ model, host })
      if (outcome === 'ready') unused.add(placementKey({ model, host }))
      if (outcome === 'aborted') wasted += 1
    },
    stopEnded: (outcomes) => {
      for (const { placement, outcome } of outcomes) if (outcome === 'stopped') gone(placement)
    },
    count: () => wasted,
  }
}
