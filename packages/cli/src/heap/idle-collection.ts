import type { Clock } from '../router/clock.ts'

/** Whether anybody would notice that the process stands still. */
export interface Activity {
  /** Something is under way. */
  readonly isBusy: boolean
  /** Grows with all that was. */
  readonly count: number
}

export interface IdleCollectionOptions {
  readonly clock: Clock
  /** Asked every few seconds, so that requests pay nothing for it. */
  readonly activity: () => Activity
  readonly collect: () => void
}

/** V8's own eight seconds are shorter than the time in which a person reads an answer and asks again. */
const QUIET_MS = 30_000
const LOOK_MS = 5_000

/**
 * Collects once whenever nothing was under way for a while, and something was since the last time: what the start leaves
 * counts too. Returns what ends it.
 */
export const startIdleCollection = ({ clock, activity, collect }: IdleCollectionOptions): (() => void) => {
  let seen = activity().count
  let quietSince = clock.now()
  let isDue = true
  let cancel: (() => void) | undefined

  const look = (): void => {
    const { isBusy, count } = activity()
    if (isBusy || count !== seen) {
      seen = count
      quietSince = clock.now()
      isDue = true
    } else if (isDue && clock.now() - quietSince >= QUIET_MS) {
      isDue = false
      collect()
    }
    arm()
  }

  const arm = (): void => {
    cancel = clock.setTimer(clock.now() + LOOK_MS, look)
  }

  arm()
  return () => cancel?.()
}
