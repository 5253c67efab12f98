import type { Clock } from '../clock.ts'

/** A limit that may be brought forward, never put off. */
export interface Patience {
  hasten(limitMs: number): void
  end(): void
}

/** Calls `onOver` when the time is over; `Infinity`: never. */
export const startPatience = (clock: Clock, limitMs: number, onOver: () => void): Patience => {
  let at = Infinity
  let cancel: (() => void) | undefined
  const hasten = (ms: number): void => {
    const sooner = clock.now() + ms
    if (sooner >= at) return
    at = sooner
    cancel?.()
    cancel = clock.setTimer(at, onOver)
  }
  hasten(limitMs)
  return { hasten, end: () => cancel?.() }
}
