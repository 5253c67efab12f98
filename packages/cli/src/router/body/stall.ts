import type { Failure } from '@lswap/core'
import type { Clock } from '../clock.ts'

export interface StallWatch {
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

export const bodyStalled = (limitMs: number): Failure => ({
  code: 'invalid_request',
  message: `The body stalled for ${limitMs / 1000} s.`,
})

/** Calls `onStall` once when nothing came for the limit. Touching costs no timer: the one that runs looks at the time. */
export const watchStall = ({ clock, limitMs, isPaused }: StallOptions, onStall: () => void): StallWatch => {
  let last = clock.now()
  const look = (): void => {
    if (isPaused()) last = clock.now()
    if (clock.now() - last >= limitMs) onStall()
    else cancel = clock.setTimer(last + limitMs, look)
  }
  let cancel = clock.setTimer(last + limitMs, look)
  return {
    touch: () => {
      last = clock.now()
    },
    stop: () => cancel(),
  }
}
