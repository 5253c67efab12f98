import { bandOf, isCounted } from '../request.ts'
import { notesOf } from '../../pick/note.ts'
import type { PickStep } from '../../pick/picker.ts'
import type { PlacementState } from '../state/placement.ts'
import { notePrefix } from '../state/prefixes.ts'
import { noteDispatch } from '../state/sample.ts'
import type { Granted } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

interface GrantPlan {
  readonly target: PlacementState
  readonly reason: string
  readonly backfilled?: boolean
  /** How the picker came to it. */
  readonly trace?: readonly PickStep[] | undefined
}

/** Gives the request to a ready process. */
export const grant = (turn: Turn, waiter: Waiter, { target, reason, backfilled = false, trace }: GrantPlan): void => {
  const { placement } = target
  if (trace === undefined) waiter.steps.push({ at: turn.now, type: 'granted', placement, reason })
  else waiter.steps.push({ at: turn.now, type: 'granted', placement, reason, pick: notesOf(trace) })
  occupy(turn, waiter, { target, backfilled })
}

/** What is granted: a place at the process, and the order to forward. */
export const occupy = (
  turn: Turn,
  waiter: Waiter,
  { target, backfilled }: { readonly target: PlacementState; readonly backfilled: boolean },
): void => {
  if (target.process.phase !== 'ready') throw new Error(`grant to a process that is ${target.process.phase}`)
  const { state, now } = turn
  const { request } = waiter
  const { placement, key } = target
  const { epoch } = target.process
  // In before it is out: its caller is never seen without it.
  if (isCounted(request)) state.room.callers.enter(request)
  state.room.remove(waiter)
  if (request.takesSlot) target.inFlight += 1
  else if (isCounted(request)) target.holding += 1
  waiter.attempts += 1
  const granted: Granted = { waiter, key, epoch, grantedAt: now, backfilled }
  state.granted.set(request.id, granted)
  noteDispatch(target, granted)
  if (request.prefix !== undefined) notePrefix(target, epoch, request.prefix)
  if (isCounted(request)) state.dispatched[bandOf(request.priority)] += 1
  turn.commands.push({ type: 'grant', request: request.id, placement, epoch })
}
