import type { Estimate } from '../client/queue.ts'
import { duration } from './units.ts'

/** `12 s (8.0 s – 20 s)`: the middle, and where eight of ten are expected. */
export const estimateText = ({ lowMs, medianMs, highMs }: Estimate): string =>
  `${duration(medianMs)} (${duration(lowMs)} – ${duration(highMs)})`
