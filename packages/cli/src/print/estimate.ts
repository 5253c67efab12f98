import type { Estimate } from '../client/queue.ts'
import { duration } from './units.ts'

/** `12 s (8.0 s – 20 s)`: the middle, and where eight of ten are expected. `at most 10m 5s`: nobody knows more. */
export const estimateText = ({ lowMs, medianMs, highMs, isLimit }: Estimate): string =>
  isLimit === true ? `at most ${duration(highMs)}` : `${duration(medianMs)} (${duration(lowMs)} – ${duration(highMs)})`

/** When its turn comes, as well as it is known. */
export const turnText = (estimate: Estimate): string =>
  `its turn ${estimate.isLimit === true ? 'comes' : 'is expected'} in ${estimateText(estimate)}`
