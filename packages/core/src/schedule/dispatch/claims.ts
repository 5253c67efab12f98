import { standsInTheWay } from '../rules/residents.ts'
import type { PlacementState } from '../state/placement.ts'
import type { Claim } from '../state/state.ts'
import { countsBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** What a waiter needs on its cheapest host: its own placement, and what must go from there. */
export interface Need {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
}

/** Who asks, and with what weight. */
export interface Contender {
  readonly waiter: Waiter
  readonly strength: number
}

/** Keeps what a blocked waiter needs from all who come after it. */
export const claim = (turn: Turn, { waiter, strength }: Contender, need: Need): void => {
  const { model, host } = need.target.placement
  const { arrival, countsFrom } = waiter
  const keys = [need.target.key, ...need.evict.map((victim) => victim.key)]
  const made: Claim = { request: waiter.request.id, arrival, countsFrom, strength, model, host, keys }
  turn.state.claims.push(made)
}

const outranks = (made: Claim, { waiter, strength }: Contender): boolean =>
  made.strength === strength ? countsBefore(made, waiter) : made.strength > strength

/** The claim on a process that comes before the waiter; undefined: it may use it. */
export const claimOnUse = (turn: Turn, contender: Contender, target: PlacementState): Claim | undefined =>
  turn.state.claims.find(
    // Inside one model the claimant is the head anyway. Most claims are weaker, so that is asked first.
    (made) => outranks(made, contender) && made.model !== target.placement.model && made.keys.includes(target.key),
  )

/** The claim before the waiter's that its swap would break: by taking what that needs, or by loading what would have to go again. */
export const claimOnSwap = (turn: Turn, contender: Contender, { target, evict }: Need): Claim | undefined => {
  for (const made of turn.state.claims) {
    if (made.host !== target.placement.host || made.model === target.placement.model) continue
    if (!outranks(made, contender)) continue
    if (made.keys.includes(target.key) || evict.some((victim) => made.keys.includes(victim.key))) return made
    if (standsInTheWay(turn, { target, evict }, made)) return made
  }
  return undefined
}
