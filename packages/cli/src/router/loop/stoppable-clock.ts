import type { Clock } from '../clock.ts'

/** A clock whose timers all end at once: one that is left would keep the process alive until it is due. */
export interface StoppableClock extends Clock {
  stop(): void
}

export const stoppableClock = (clock: Clock): StoppableClock => {
  const cancels = new Set<() => void>()
  let isStopped = false
  return {
    now: () => clock.now(),
    setTimer: (atMs, fire) => {
      if (isStopped) return () => {}
      const cancel = clock.setTimer(atMs, () => {
        cancels.delete(end)
        fire()
      })
      const end = (): void => {
        cancels.delete(end)
        cancel()
      }
      cancels.add(end)
      return end
    },
    stop: () => {
      isStopped = true
      for (const end of cancels) end()
    },
  }
}
