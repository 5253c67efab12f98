import { placementKey, type ModelId, type Placement, type PlacementKey, type RequestId } from '../ids.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import type { PlacementState } from '../schedule/state/placement.ts'
import type { Claim, State, SwapState } from '../schedule/state/state.ts'
import type { Rules, Turn } from '../schedule/turn.ts'
import type { Forecast } from './forecast.ts'

/** One look at a scheduler by a person. Nothing in it changes the state, not even by making what is looked up. */
export interface Reading {
  readonly turn: Turn
  placementAt(placement: Placement): PlacementState | undefined
  /** When the requests that a placement serves were granted, the oldest first. */
  grantsAt(placement: Placement): readonly number[]
  claimOf(request: RequestId): Claim | undefined
  causeOf(model: ModelId): WaitCause | undefined
  /** The running swap that loads at a placement. */
  loadAt(placement: Placement): SwapState | undefined
  /** What was worked out already for a cause: all who wait for a model share it. */
  readonly ready: WeakMap<WaitCause, Forecast>
  readonly words: WeakMap<WaitCause, CauseWords>
  readonly slots: Map<ModelId, TakenSlots>
  /** That a model's waiters are held back for a request: one cause for all of them. */
  heldFor(model: ModelId, request: RequestId): WaitCause
}

export interface CauseWords {
  readonly sentence: string
  /** Without what changes while it lasts. */
  readonly label: string
}

/** The slots of a model that are taken, on all its hosts. */
export interface TakenSlots {
  /** Since when, the longest first. */
  readonly since: readonly number[]
  readonly service: Forecast
}

export const readingOf = (state: State, rules: Rules, now: number): Reading => {
  const grants = new Map<PlacementKey, number[]>()
  // Granted in this order, so that each list is sorted
  for (const { key, grantedAt, waiter } of state.granted.values()) {
    if (!waiter.request.takesSlot) continue
    const known = grants.get(key)
    if (known === undefined) grants.set(key, [grantedAt])
    else known.push(grantedAt)
  }
  // The last one is enough: those of a model who are next to each other in line are mostly held for the same
  const held = new Map<ModelId, Extract<WaitCause, { type: 'held-for' }>>()
  return {
    // Not `openTurn`: looking must not move the time of the state
    turn: { state, rules, now: Math.max(state.now, now), commands: [], draining: undefined },
    placementAt: (placement) => state.placements.get(placementKey(placement)),
    grantsAt: (placement) => grants.get(placementKey(placement)) ?? [],
    claimOf: (request) => state.claims.find((made) => made.request === request),
    causeOf: (model) => state.logs.get(model)?.cause,
    loadAt: (placement) => {
      for (const running of state.swaps.values()) {
        if (running.swap.model === placement.model && running.swap.host === placement.host) return running
      }
      return undefined
    },
    ready: new WeakMap(),
    words: new WeakMap(),
    slots: new Map(),
    heldFor: (model, request) => {
      const known = held.get(model)
      if (known?.request === request) return known
      const cause = { type: 'held-for', request } as const
      held.set(model, cause)
      return cause
    },
  }
}
