import type { LogRing } from './log-ring.ts'

/** Somebody who reads a log as it grows. */
export interface LogFollowing {
  /** Nothing more until `resume`; what is overwritten meanwhile is lost to this reader, and marked. */
  pause(): void
  resume(): void
  stop(): void
}

export interface FollowOptions {
  /** How many of the lines that are there already come first. */
  readonly tail: number
  /** Told whole lines, each with its end, never before `followLog` returned. */
  readonly onText: (text: string) => void
}

/** What one turn may tell, so that a flood holds up nobody else. */
const TURN_BYTES = 65_536

/**
 * Tells a log as it grows. The ring is the only memory: whoever writes to it never waits, and a reader that is too slow misses lines and
 * is told how many.
 */
export const followLog = (ring: LogRing, { tail, onText }: FollowOptions): LogFollowing => {
  const cursor = ring.cursor(tail)
  let isPaused = false
  let isStopped = false
  let isAwake = false

  const turn = (): void => {
    isAwake = false
    if (isPaused || isStopped) return
    const { text, lost } = cursor.read(TURN_BYTES)
    if (text === '' && lost === 0) return
    wake()
    onText(lost === 0 ? text : `--- ${lost} lines lost: read too slowly ---\n${text}`)
  }
  // Once for all lines of a turn of the event loop
  const wake = (): void => {
    if (isAwake || isPaused || isStopped) return
    isAwake = true
    setImmediate(turn)
  }
  const leave = ring.onLine(wake)
  wake()
  return {
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
      wake()
    },
    stop: () => {
      isStopped = true
      leave()
    },
  }
}
