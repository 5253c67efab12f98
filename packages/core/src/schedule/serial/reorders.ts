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
  // Nobody whom it could come before
  if (room.depth === 0) return
  const score = scoreOf(turn, picked)
  const unagedScore = picked.request.priority - swapCostOf(turn, own)
  let isAgedIn = false
  let isAttached = false
  for (const model of room.models()) {
    const queue = room.queueOf(model)
    const first = firstInLane(queue, 'any')
    const urgent = queue?.byPriority.head()
    const policy = turn.rules.models.get(model)
    if (policy === undefined || first === undefined || urgent === undefined) continue
    const { priority } = urgent.request
    // A swap costs something or nothing: who would not come first for nothing needs no closer look
    const mayAge: boolean = !isAgedIn && isFirst(priority, unagedScore, urgent.arrival < picked.arrival)
    const mayAttach: boolean = !isAttached && ranksBefore(first, picked)
    if (!mayAge && !mayAttach) continue
    const cost = swapCostOf(turn, policy)
    const lead = first.rank - cost - score
    const isBetter = first !== picked && (lead > 0 || (lead === 0 && countsBefore(first, picked)))
    // It was looked at first, and has to wait.
    if (isBetter && turn.state.logs.get(model)?.cause !== undefined) continue
    const urgentScore = priority - cost
    isAgedIn ||= mayAge && isFirst(urgentScore, unagedScore, urgent.arrival < picked.arrival)
    isAttached ||= mayAttach
    if (isAgedIn && isAttached) break
  }
  if (isAgedIn) turn.state.agingReorders += 1
  if (isAttached) turn.state.affinityReorders += 1
}

const isFirst = (score: number, other: number, isEarlier: boolean): boolean =>
  score > other || (score === other && isEarlier)
