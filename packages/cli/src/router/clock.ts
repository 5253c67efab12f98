import { performance } from 'node:perf_hooks'

/** Time as an argument: the whole router also runs on a virtual one. */
export interface Clock {
  /** Milliseconds; never runs backwards. */
  now(): number
  /** Calls `fire` once when `now()` has reached `atMs`, never before this call returned. Returns a function that takes it back. */
  setTimer(atMs: number, fire: () => void): () => void
}

/** Beyond it Node's timers fire at once: 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

// Read once: it is a getter that looks closely at its object, 25 ns each of the dozen times that a request asks for the time
const { timeOrigin } = performance

const now = (): number => timeOrigin + performance.now()

/** The real time. It counts from the process's start on a monotonic clock, so that a corrected wall clock moves no deadline. */
export const systemClock = (): Clock => {
  return {
    now,
    setTimer: (atMs, fire) => {
      let timer: NodeJS.Timeout | undefined
      const arm = (): void => {
        const restMs = Math.ceil(atMs - now())
        // Node may fire a fraction of a millisecond early; whoever waits for a time must find that it has come
        timer = setTimeout(() => (now() >= atMs ? fire() : arm()), Math.min(Math.max(restMs, 0), LONGEST_TIMER_MS))
      }
      arm()
      return () => clearTimeout(timer)
    },
  }
}
