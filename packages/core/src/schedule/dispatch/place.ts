import type { Place, Policy } from '../policy.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** Whether place `a` is dispatched before place `b`. */
export const comesBefore = (a: Place, b: Place): boolean => {
  for (let at = 0; at < a.length; at += 1) {
    const left = a[at] as number
    const right = b[at] as number
    if (left !== right) return left > right
  }
  return false
}

/** A waiter and its place in the order. */
export interface Placed {
  readonly waiter: Waiter
  readonly place: Place
}

export const placed = (turn: Turn, policy: Policy, waiter: Waiter): Placed => ({
  waiter,
  place: policy.placeOf(turn, waiter),
})

/** Who stands before whom, for people: those outside the order come after those in it. */
export const standsBefore = (a: Placed, b: Placed): boolean =>
  a.waiter.parked === b.waiter.parked ? comesBefore(a.place, b.place) : b.waiter.parked
