import type { ModelPolicy } from '../options.ts'
import { placementsOf, type Turn } from '../turn.ts'

/** Whether the model serves somewhere, or will without anybody else's doing: its waiters need no swap. */
export const isAtHand = (turn: Turn, policy: ModelPolicy): boolean =>
  placementsOf(turn, policy).some(
    ({ process, leaving }) => (process.phase === 'ready' || process.phase === 'loading') && leaving === undefined,
  )
