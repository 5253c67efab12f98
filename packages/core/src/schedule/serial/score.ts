import type { ModelPolicy, SerialSettings } from '../options.ts'
import type { Request } from '../request.ts'
import { isAtHand } from '../rules/at-hand.ts'
import type { Waiter } from '../state/waiter.ts'
import { placementsOf, type Turn } from '../turn.ts'

/** Seconds per point where waiting is worth nothing: swaps still have a price. */
const UNAGED_SECONDS = 10
/** Least and most points that staying on a loaded model is worth. */
const LEAST_COST = 1
const MOST_COST = 12

export const settingsOf = ({ rules }: Turn): SerialSettings => {
  const { policy } = rules.options
  if (policy.use !== 'serial') throw new Error(`serial was given the settings of ${policy.use}`)
  return policy
}

/**
 * Order inside a model: priority less what arriving later costs. All waiters age alike, so the order between two of
 * them never changes and the key can be fixed.
 */
export const rankAt = ({ agingSeconds }: SerialSettings, { priority }: Request, arrivedMs: number): number =>
  agingSeconds === 0 ? priority : priority - arrivedMs / 1000 / agingSeconds

/** Points that a swap to the model would cost; nothing where it is loaded or loading. */
export const swapCostOf = (turn: Turn, policy: ModelPolicy): number => {
  const { agingSeconds, swapAffinity } = settingsOf(turn)
  if (isAtHand(turn, policy)) return 0
  let loadMs: number | undefined
  for (const target of placementsOf(turn, policy)) {
    const measured = turn.state.measures.median('load', target.key)
    if (measured !== undefined) loadMs = Math.min(loadMs ?? Infinity, measured)
  }
  if (swapAffinity !== 'auto') return swapAffinity
  const points = (loadMs ?? 0) / 1000 / (agingSeconds === 0 ? UNAGED_SECONDS : agingSeconds)
  return Math.min(Math.max(points, LEAST_COST), MOST_COST)
}

/** The score less what all waiters have in common, the time that passed: larger is served first. */
export const scoreOf = (turn: Turn, waiter: Waiter): number => {
  const policy = turn.rules.models.get(waiter.request.model)
  return policy === undefined ? waiter.rank : waiter.rank - swapCostOf(turn, policy)
}
