import type { Clock } from '../clock.ts'

export interface Ticker {
  /** Looks again when the next tick is due. */
  rearm(): void
  stop(): void
}

export interface TickerOptions {
  readonly clock: Clock
  /** When the next tick is due; undefined: nothing waits for time alone. */
  readonly due: () => number | undefined
  readonly tick: () => void
}

/** Keeps one timer for the time that the scheduler asks for. */
export const createTicker = ({ clock, due, tick }: TickerOptions): Ticker => {
  let armedFor: number | undefined
  let cancel: (() => void) | undefined
  // A tick that leaves another one due at the same time would otherwise spin for ever on a virtual clock
  let earliest = 0
  let stopped = false
  const disarm = (): void => {
    cancel?.()
    cancel = undefined
    armedFor = undefined
  }
  return {
    rearm: () => {
      if (stopped) return
      const wanted = due()
      const at = wanted === undefined ? undefined : Math.max(wanted, earliest)
      if (at === armedFor) return
      disarm()
      if (at === undefined) return
      armedFor = at
      cancel = clock.setTimer(at, () => {
        armedFor = undefined
        earliest = clock.now() + 1
        tick()
      })
    },
    stop: () => {
      stopped = true
      disarm()
    },
  }
}
