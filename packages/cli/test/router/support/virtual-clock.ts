import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../../src/router/clock.ts'

export interface VirtualClock extends Clock {
  /** Lets time pass: fires what comes due, in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>
  /** Timers that wait. */
  pending(): number
}

interface Timer {
  readonly at: number
  readonly fire: () => void
}

/** Time that only passes when a test says so. */
export const createVirtualClock = (start = 1_000_000): VirtualClock => {
  let now = start
  const timers = new Set<Timer>()
  const next = (until: number): Timer | undefined => {
    let first: Timer | undefined
    // Insertion order decides between equal times
    for (const timer of timers) if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer
    return first
  }
  return {
    now: () => now,
    setTimer: (at, fire) => {
      const timer = { at, fire }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: async (ms) => {
      const until = now + ms
      await turn()
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        timers.delete(timer)
        now = Math.max(now, timer.at)
        timer.fire()
        await turn()
      }
      now = until
    },
    pending: () => timers.size,
  }
}
