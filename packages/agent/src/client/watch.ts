import type { ForwardTimers } from '../forward/timers.ts'

/** Notices when nothing was heard for too long. */
export interface Watch {
  heard(): void
  start(): void
  stop(): void
}

export interface WatchOptions {
  readonly timers: ForwardTimers
  readonly silenceMs: number
  readonly onSilent: () => void
}

const LOOK_MS = 250
/** A look that comes this late says that this process was held up: what came meanwhile is still to be read. */
const STALLED_MS = 500

export const createWatch = ({ timers, silenceMs, onSilent }: WatchOptions): Watch => {
  let heardAt = 0
  let cancel: (() => void) | undefined

  const arm = (): void => {
    const due = timers.now() + LOOK_MS
    cancel = timers.after(LOOK_MS, () => {
      const now = timers.now()
      if (now - due > STALLED_MS) heardAt = now
      if (now - heardAt < silenceMs) return arm()
      cancel = undefined
      return onSilent()
    })
  }

  return {
    heard: () => {
      heardAt = timers.now()
    },
    start: () => {
      heardAt = timers.now()
      cancel?.()
      arm()
    },
    stop: () => {
      cancel?.()
      cancel = undefined
    },
  }
}
