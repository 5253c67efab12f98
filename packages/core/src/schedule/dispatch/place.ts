import type { Place, Policy } from '../policy.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** Whether place `a` is dispatched before place `b`. */
export const comesBefore = (a: Place, b: Place): boolean => {
  for (let at = 0; at < a.length; at += 1) {
    const [left, right] = [a[at] as number, b[at] as number]
    if (left !== right) return left > right
  }
  return false
}

/** A waiter's place among all, for people: those outside the order come after those in it. */
export const placeInLine = (turn: Turn, policy: Policy, waiter: Waiter): Place => [
  waiter.parked ? 0 : 1,
  ...policy.placeOf(turn, waiter),
]
