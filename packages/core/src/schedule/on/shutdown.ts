import { closePassive } from '../act/passive.ts'
import { reject } from '../act/reject.ts'
import type { ShutdownStarted } from '../events.ts'
import type { Turn } from '../turn.ts'

/** Ends every waiter and what only looks; what else runs is the loop's to end. Later requests get the same error. */
export const onShutdown = (turn: Turn, { failure }: ShutdownStarted): void => {
  turn.state.closed = failure
  for (let oldest = turn.state.room.oldest(); oldest !== undefined; oldest = turn.state.room.oldest()) {
    reject(turn, oldest, failure)
  }
  closePassive(turn, failure)
}
