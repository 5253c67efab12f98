import { bandOf } from '../request.ts'
import type { PlacementState } from '../state/placement.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

interface GrantPlan {
  readonly target: PlacementState
  readonly reason: string
  readonly backfilled?: boolean
}

/** Gives the request to a ready process. */
export const grant = (turn: Turn, waiter: Waiter, { target, reason, backfilled = false }: GrantPlan): void => {
  if (target.process.phase !== 'ready') throw new Error(`grant to a process that is ${target.process.phase}`)
  const { state, now } = turn
  const { request } = waiter
  const { placement, key } = target
  const { epoch } = target.process
  state.room.remove(waiter)
  if (request.takesSlot) target.inFlight += 1
  else target.holding += 1
  waiter.steps.push({ at: now, type: 'granted', placement, reason })
  state.granted.set(request.id, {
    waiter: { ...waiter, attempts: waiter.attempts + 1 },
    key,
    epoch,
    grantedAt: now,
    backfilled,
  })
  state.dispatched[bandOf(request.priority)] += 1
  turn.commands.push({ type: 'grant', request: request.id, placement, epoch })
}
