import type { Clock } from '../../router/clock.ts'

/** Resolves when the clock shows the time, or when the signal comes. */
export const reached = (clock: Clock, at: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.setTimer(at, done)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
