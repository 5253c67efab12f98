import { ranksBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { scoreOf, swapCostOf } from './score.ts'

/**
 * Counts whether aging, or affinity, decided that this waiter goes now: would another have been picked without it,
 * among those that were not passed over already? Without these two counts tuning is guesswork.
 */
export const countReorders = (turn: Turn, picked: Waiter): void => {
  const { state, rules } = turn
  const strength = scoreOf(turn, picked)
  const passedOver = new Set(state.claims.filter((made) => made.strength > strength).map((made) => made.model))
  let unaged = picked
  let unagedScore = -Infinity
  let unattached = picked
  for (const policy of rules.models.values()) {
    const queue = state.room.queueOf(policy.id)
    if (queue === undefined || passedOver.has(policy.id)) continue
    const byPriority = queue.byPriority.head()
    if (byPriority !== undefined) {
      const score = byPriority.request.priority - swapCostOf(turn, policy)
      if (score > unagedScore || (score === unagedScore && byPriority.arrival < unaged.arrival)) {
        unaged = byPriority
        unagedScore = score
      }
    }
    const byRank = queue.byRank.head()
    if (byRank !== undefined && ranksBefore(byRank, unattached)) unattached = byRank
  }
  if (unaged !== picked) state.agingReorders += 1
  if (unattached !== picked) state.affinityReorders += 1
}
