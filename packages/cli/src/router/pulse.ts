import type { Clock } from './clock.ts'

/** Notices when this process did not get to do anything for a while. */
export interface Pulse {
  start(): void
  /** The latest that a beat came lately, or is by now. */
  lateMs(): number
  stop(): void
}

const BEAT_MS = 1_000
/** So many beats are remembered: a probe every ten seconds sees each stop. */
const REMEMBERED = 10

export const createPulse = (clock: Clock): Pulse => {
  let due: number | undefined
  let cancel: (() => void) | undefined
  let lates: number[] = []

  const arm = (): void => {
    due = clock.now() + BEAT_MS
    cancel = clock.setTimer(due, beat)
  }

  const beat = (): void => {
    lates = [...lates, Math.max(0, clock.now() - (due ?? 0))].slice(-REMEMBERED)
    arm()
  }

  return {
    start: () => {
      if (due === undefined) arm()
    },
    lateMs: () => Math.max(0, ...lates, due === undefined ? 0 : clock.now() - due),
    stop: () => {
      cancel?.()
      due = undefined
      lates = []
    },
  }
}
