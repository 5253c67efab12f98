import type { ForwardTimers } from '../../../src/forward/timers.ts'

export interface FakeTimers extends ForwardTimers {
  /** Moves the clock and runs what has become due. */
  advance(ms: number): void
  /** Moves the clock only: timers are late, as on a busy machine. */
  skip(ms: number): void
  /** Until the first of the timers is due; infinite: there is none. */
  nextInMs(): number
}

export const createFakeTimers = (): FakeTimers => {
  let now = 0
  const due = new Set<{ at: number; callback: () => void }>()
  return {
    now: () => now,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback }
      due.add(timer)
      return () => due.delete(timer)
    },
    advance: (ms) => {
      now += ms
      for (const timer of due) {
        if (timer.at > now) continue
        due.delete(timer)
        timer.callback()
      }
    },
    skip: (ms) => {
      now += ms
    },
    nextInMs: () => Math.min(...[...due].map(({ at }) => at - now)),
  }
}
