import { restoreOf } from '../rules/restore.ts'
import type { Turn } from '../turn.ts'
import { startSwap } from './swap.ts'

/** Loads the models again that come back by themselves and are due, in the order of the configuration. */
export const restoreDue = (turn: Turn): void => {
  for (const policy of turn.rules.restored) {
    const restore = restoreOf(turn, policy)
    if (restore === undefined || restore.at > turn.now) continue
    startSwap(turn, { ...restore, afterOutOfMemory: false, reason: 'restore' })
  }
}
