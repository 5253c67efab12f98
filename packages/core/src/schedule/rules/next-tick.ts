import type { Policy } from '../policy.ts'
import type { Turn } from '../turn.ts'
import { nextCooldownEnd } from './cooldown.ts'
import { nextDrainEnd } from './drain.ts'
import { idleAt } from './idle.ts'
import { restoreOf } from './restore.ts'

/** The earliest moment at which time alone changes something. Asked after every event. */
export const nextTickOf = (turn: Turn, policy: Policy): number | undefined => {
  const { state, rules } = turn
  let next = Infinity
  const oldest = state.room.oldest()
  if (oldest !== undefined) {
    next = earlier(next, oldest.receivedAt + rules.options.limits.queueTimeoutMs)
    next = earlier(next, policy.nextChange(turn))
    next = earlier(next, nextDrainEnd(turn))
    next = earlier(next, nextCooldownEnd(state))
  }
  if (rules.restored.length > 0) next = earlier(next, nextCooldownEnd(state))
  for (const model of rules.restored) next = earlier(next, restoreOf(turn, model)?.at)
  for (const residents of state.residents.values()) {
    for (const target of residents) next = earlier(next, idleAt(turn, target))
  }
  return next === Infinity ? undefined : next
}

const earlier = (next: number, at: number | undefined): number => (at !== undefined && at < next ? at : next)
