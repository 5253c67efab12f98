import type { Failure } from '@lswap/core'

/** Timers can not be longer. */
const LONGEST_TIMER_MS = 2_147_483_647

/** One stop that is under way and that later orders may hasten, never slow down. */
export interface StopControl {
  /** Fires when running requests may not go on. */
  readonly cut: AbortSignal
  /** Fires when the process is to be killed without grace. */
  readonly hurry: AbortSignal
  readonly longestDrainMs: number
  /** What the requests that are cut are told. */
  failure(): Failure
  /** Running requests may go on for at most this long from now. */
  limitDrain(ms: number, failure: Failure): void
  killNow(failure: Failure): void
  /** Forgets its timers. */
  end(): void
}

export const createStopControl = (first: Failure): StopControl => {
  const cut = new AbortController()
  const hurry = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  let told = first
  const cutNow = (failure: Failure): void => {
    if (!cut.signal.aborted) told = failure
    cut.abort()
  }
  return {
    cut: cut.signal,
    hurry: hurry.signal,
    longestDrainMs: LONGEST_TIMER_MS,
    failure: () => told,
    limitDrain(ms, failure) {
      if (ms <= 0) cutNow(failure)
      else timers.add(setTimeout(() => cutNow(failure), Math.min(ms, LONGEST_TIMER_MS)))
    },
    killNow(failure) {
      cutNow(failure)
      hurry.abort()
    },
    end() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
