import { firstInLane } from '../dispatch/lane.ts'
import { countsBefore, ranksBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'
import { scoreOf, swapCostOf } from './score.ts'

/**
 * Counts whether aging, or affinity, decided that this waiter goes now: would another have been picked without it,
 * among those that were not passed over already? Without these two counts tuning is guesswork.
 */
export const countReorders = (turn: Turn, picked: Waiter): void => {
  const own = turn.rules.models.get(picked.request.model)
  if (own === undefined) return
  const { room } = turn.state
  const score = scoreOf(turn, picked)
  let unaged = picked
  let unagedScore = picked.request.priority - swapCostOf(turn, own)
  let unattached = picked
  for (const model of room.models()) {
    const policy = turn.rules.models.get(model)
    const queue = room.queueOf(model)
    const first = firstInLane(queue, 'any')
    const urgent = queue?.byPriority.head()
    if (policy === undefined || first === undefined || urgent === undefined) continue
    const cost = swapCostOf(turn, policy)
    const lead = first.rank - cost - score
    const isBetter = first !== picked && (lead > 0 || (lead === 0 && countsBefore(first, picked)))
    // It was looked at first, and has to wait.
    if (isBetter && turn.state.logs.get(model)?.cause !== undefined) continue
    const urgentScore = urgent.request.priority - cost
    if (urgentScore > unagedScore || (urgentScore === unagedScore && urgent.arrival < unaged.arrival)) {
      unaged = urgent
      unagedScore = urgentScore
    }
    if (ranksBefore(first, unattached)) unattached = first
  }
  if (unaged !== picked) turn.state.agingReorders += 1
  if (unattached !== picked) turn.state.affinityReorders += 1
}
