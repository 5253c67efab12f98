import type { Clock } from '../../router/clock.ts'

/** Between two frames while keys are pressed, and otherwise. */
const KEYS_MS = 100
const NEWS_MS = 500
/** How long after a key its person still looks for what comes of it. */
const ATTENTION_MS = 1_000

export interface Pacer {
  /** A key was pressed. */
  key(): void
  /** Something else is to be shown. */
  news(): void
  stop(): void
}

/**
 * At most ten frames a second while keys are pressed and two otherwise. `draw` tells in how many milliseconds the frame would change by
 * itself, because time passes.
 */
export const createPacer = (clock: Clock, draw: () => number): Pacer => {
  let drawnAt = -Infinity
  let keyAt = -Infinity
  let planned: { readonly at: number; readonly cancel: () => void } | undefined
  let isStopped = false

  const plan = (at: number): void => {
    if (isStopped || (planned !== undefined && planned.at <= at)) return
    planned?.cancel()
    planned = { at, cancel: clock.setTimer(at, drawNow) }
  }
  const drawNow = (): void => {
    planned = undefined
    drawnAt = clock.now()
    const inMs = draw()
    plan(Math.max(earliest(), clock.now() + inMs))
  }
  const earliest = (): number => {
    const now = clock.now()
    return Math.max(now, drawnAt + (now - keyAt < ATTENTION_MS ? KEYS_MS : NEWS_MS))
  }
  return {
    key: () => {
      keyAt = clock.now()
      plan(earliest())
    },
    news: () => plan(earliest()),
    stop: () => {
      isStopped = true
      planned?.cancel()
    },
  }
}
