import type { ModelId } from '../ids.ts'
import { placed, standsBefore, type Placed } from '../schedule/dispatch/place.ts'
import type { Policy } from '../schedule/policy.ts'
import { Heap } from '../schedule/state/heap.ts'
import type { Waiter } from '../schedule/state/waiter.ts'
import type { Turn } from '../schedule/turn.ts'

/** Where a waiter stands. */
export interface Standing {
  readonly waiter: Waiter
  /** Place in the order of dispatch, 1 first. */
  readonly position: number
  /** How many of its model are before it and take a slot, if it takes one, too. */
  readonly ahead: number
}

/** The first `limit` of all who wait. Looks at each of them once: O(n + limit log n). */
export const firstInLine = (turn: Turn, policy: Policy, limit: number): Standing[] => {
  const ahead = new Map<ModelId, number>()
  return placedFirst(turn, policy, limit).map(({ waiter }, at) => {
    const { model, takesSlot } = waiter.request
    const before = ahead.get(model) ?? 0
    if (takesSlot) ahead.set(model, before + 1)
    return { waiter, position: at + 1, ahead: takesSlot ? before : 0 }
  })
}

const placedFirst = (turn: Turn, policy: Policy, limit: number): Placed[] => {
  if (limit < 1) return []
  // The last of those kept so far is on top: whoever stands before it takes its place
  const kept = new Heap<Placed>({ key: () => 0, before: (a, b) => standsBefore(b, a) })
  for (const waiter of turn.state.room.waiters()) {
    const one = placed(turn, policy, waiter)
    const last = kept.size < limit ? undefined : kept.peek()
    if (last !== undefined && !standsBefore(one, last)) continue
    if (last !== undefined) kept.pop()
    kept.push(one)
  }
  return kept.drain().toSorted((a, b) => (standsBefore(a, b) ? -1 : 1))
}

/** Where one waiter stands, without putting the others in order. */
export const standingOf = (turn: Turn, policy: Policy, waiter: Waiter): Standing => {
  const own = placed(turn, policy, waiter)
  const { model, takesSlot } = waiter.request
  let position = 1
  let ahead = 0
  for (const other of turn.state.room.waiters()) {
    if (!standsBefore(placed(turn, policy, other), own)) continue
    position += 1
    if (takesSlot && other.request.takesSlot && other.request.model === model) ahead += 1
  }
  return { waiter, position, ahead }
}
