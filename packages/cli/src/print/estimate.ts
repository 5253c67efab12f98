import type { Estimate } from '../client/queue.ts'
import { duration } from './units.ts'

/** `12 s (8.0 s – 20 s)`: the middle, and where eight of ten are expected. `at most 10m 5s`: nobody knows more. */
export const estimateText = ({ lowMs, medianMs, highMs, isLimit }: Estimate): string =>
  isLimit === true ? `at most ${duration(highMs)}` : `${duration(medianMs)} (${duration(lowMs)} – ${duration(highMs)})`

/** When its turn comes, as well as it is known. */
export const turnText = (estimate: Estimate): string => {
  if (estimate.isLimit === true) return `its turn comes in ${estimateText(estimate)}`
  const { medianMs, highMs } = estimate
  if (medianMs >= SHOWN_MS) return `its turn is expected in ${estimateText(estimate)}`
  // What it waits for takes longer than it usually does
  return `its turn is expected any moment${highMs >= SHOWN_MS ? `, most likely within ${duration(highMs)}` : ''}`
}

/** Less is shown as 0.0 s. */
const SHOWN_MS = 50
