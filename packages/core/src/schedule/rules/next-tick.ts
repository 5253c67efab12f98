import type { Policy } from '../policy.ts'
import type { Turn } from '../turn.ts'
import { nextCooldownEnd } from './cooldown.ts'
import { nextDrainEnd } from './drain.ts'
import { idleAt } from './idle.ts'
import { restoreOf } from './restore.ts'

/** The earliest moment at which time alone changes something. */
export const nextTickOf = (turn: Turn, policy: Policy): number | undefined => {
  const { state, rules } = turn
  let next = Infinity
  const consider = (at: number | undefined): void => {
    if (at !== undefined && at < next) next = at
  }
  const oldest = state.room.oldest()
  if (oldest !== undefined) {
    consider(oldest.receivedAt + rules.options.limits.queueTimeoutMs)
    consider(policy.nextChange(turn))
    consider(nextDrainEnd(turn))
    consider(nextCooldownEnd(state))
  }
  if (rules.restored.length > 0) consider(nextCooldownEnd(state))
  for (const model of rules.restored) consider(restoreOf(turn, model)?.at)
  for (const residents of state.residents.values()) for (const target of residents) consider(idleAt(turn, target))
  return next === Infinity ? undefined : next
}
