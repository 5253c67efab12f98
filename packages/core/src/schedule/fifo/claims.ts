import type { PlacementState } from '../state/placement.ts'
import type { Claim } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { placementOf } from '../state/state.ts'
import { wouldBeEvicted } from '../rules/residents.ts'

/** What an overdue request needs on its cheapest host is kept for it: its own placement and what must go. */
export const claim = (
  turn: Turn,
  waiter: Waiter,
  need: { target: PlacementState; evict: readonly PlacementState[] },
): void => {
  const { model, host } = need.target.placement
  const keys = [need.target.key, ...need.evict.map((victim) => victim.key)]
  const made: Claim = { request: waiter.request.id, arrival: waiter.arrival, model, host, keys }
  turn.state.claims = [...turn.state.claims, made]
}

/** The claim of an earlier arrival on a process; undefined: the waiter may use it. */
export const claimOnUse = (turn: Turn, waiter: Waiter, target: PlacementState): Claim | undefined =>
  turn.state.claims.find(
    // Inside one model the overdue request is the head anyway.
    (made) => made.arrival < waiter.arrival && made.model !== waiter.request.model && made.keys.includes(target.key),
  )

interface WantedSwap {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
}

/** The claim of an earlier arrival that a swap would break: by taking what it needs, or by loading what would have to go again. */
export const claimOnSwap = (turn: Turn, waiter: Waiter, { target, evict }: WantedSwap): Claim | undefined => {
  for (const made of turn.state.claims) {
    if (made.arrival >= waiter.arrival || made.host !== target.placement.host) continue
    if (made.model === target.placement.model) continue
    if (evict.some((victim) => made.keys.includes(victim.key))) return made
    if (made.keys.includes(target.key)) return made
    if (wouldBeEvicted(turn, target, placementOf(turn.state, made))) return made
  }
  return undefined
}
