import { systemClock, type Clock } from '../router/clock.ts'

/** A router on this machine refuses what it does not know within this, and nobody wonders yet whether anything happens. */
const SOON_MS = 50

/** A line that is said once, or not at all. */
export interface LaterLine {
  /** Not later. */
  now(): void
  takeBack(): void
}

/** Tells what is done once that was not refused, or done, at once. */
export const sayLater = (
  { say }: { readonly say: (line: string) => void },
  line: string,
  clock: Pick<Clock, 'now' | 'setTimer'> = systemClock(),
): LaterLine => {
  let isOpen = true
  const now = (): void => {
    if (isOpen) say(line)
    takeBack()
  }
  const takeBack = (): void => {
    isOpen = false
    cancel()
  }
  const cancel = clock.setTimer(clock.now() + SOON_MS, now)
  return { now, takeBack }
}
