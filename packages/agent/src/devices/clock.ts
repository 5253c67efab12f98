import { performance } from 'node:perf_hooks'

/** Time as an argument. */
export interface DeviceClock {
  /** Milliseconds since 1970; never runs backwards. */
  now(): number
  /** Returns a function that takes it back. */
  after(ms: number, fire: () => void): () => void
}

export const systemDeviceClock: DeviceClock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, fire) => {
    const timer = setTimeout(fire, ms)
    return () => clearTimeout(timer)
  },
}
