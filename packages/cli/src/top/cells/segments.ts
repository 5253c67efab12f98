import type { Row, Tone } from './row.ts'
import { cut, widthOf } from '../../print/width.ts'

export interface Segment {
  readonly text: string
  readonly tone?: Tone
  /** Where there is no room, those with the highest number go first. */
  readonly priority: number
}

const GAP = '  '

/** Pieces of text side by side, as many as have room. */
export const segmentRow = (segments: readonly Segment[], width: number): Row => {
  let kept = segments.filter(({ text }) => text !== '')
  const needed = (): number => kept.reduce((sum, { text }) => sum + widthOf(text) + GAP.length, -GAP.length)
  while (needed() > width && kept.length > 1) {
    const last = Math.max(...kept.map(({ priority }) => priority))
    const gone = kept.findLastIndex(({ priority }) => priority === last)
    kept = kept.filter((_, at) => at !== gone)
  }
  return {
    spans: kept.map(({ text, tone }, at) => {
      const shown = cut(text, width) + (at === kept.length - 1 ? '' : GAP)
      return tone === undefined ? { text: shown } : { text: shown, tone }
    }),
  }
}
