import type { Clock } from '../clock.ts'

/** How long a client is held back before somebody looks at it. */
const LOOK_EVERY_MS = 1_000
/**
 * Who takes as much from one look to the next is not slow: what a client has sent before it left lies in the buffers of two
 * systems, some megabytes, and is read as fast as that.
 */
const ENOUGH_BYTES = 8 * 1024 * 1024

/** Notices an engine that takes little or nothing of a body. */
export interface Pace {
  /** The client is held back from now on. Idempotent. */
  begin(): void
  /** The engine takes so many bytes. */
  moved(bytes: number): void
  stop(): void
}

export interface PaceOptions {
  readonly clock: Clock
  /** Whether the client is held back at this moment. */
  readonly isHeldBack: () => boolean
}

/** Calls `onSlow` every second in which the engine took little and at the end of which its client is held back. */
export const watchPace = ({ clock, isHeldBack }: PaceOptions, onSlow: () => void): Pace => {
  let moved = 0
  let cancel: (() => void) | undefined
  let isOver = false
  const arm = (): void => {
    cancel = clock.setTimer(clock.now() + LOOK_EVERY_MS, look)
  }
  const look = (): void => {
    const isSlow = moved < ENOUGH_BYTES && isHeldBack()
    moved = 0
    arm()
    if (isSlow) onSlow()
  }
  return {
    begin: () => {
      if (cancel === undefined && !isOver) arm()
    },
    moved: (bytes) => {
      moved += bytes
    },
    stop: () => {
      isOver = true
      cancel?.()
    },
  }
}
