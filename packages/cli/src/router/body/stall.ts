import type { Clock } from '../clock.ts'

export interface StallWatch {
  /** Idempotent; does nothing after `stop`. */
  begin(): void
  /** Something came. */
  touch(): void
  stop(): void
}

export interface StallOptions {
  readonly clock: Clock
  readonly limitMs: number
  /** Whether it is us who do not read: then nobody stalls. */
  readonly isPaused: () => boolean
}

/** Calls `onStall` once when nothing came for the limit, from `begin` on. Touching costs no timer: the one that runs looks at the time. */
export const watchStall = ({ clock, limitMs, isPaused }: StallOptions, onStall: () => void): StallWatch => {
  let last = clock.now()
  let cancel: (() => void) | undefined
  let isOver = false
  const look = (): void => {
    if (isPaused()) last = clock.now()
    if (clock.now() - last >= limitMs) onStall()
    else cancel = clock.setTimer(last + limitMs, look)
  }
  return {
    begin: () => {
      if (!isOver) cancel ??= clock.setTimer(last + limitMs, look)
    },
    touch: () => {
      last = clock.now()
    },
    stop: () => {
      isOver = true
      cancel?.()
      cancel = undefined
    },
  }
}
