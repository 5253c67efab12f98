import { Box, Text, type TextProps } from 'ink'
import { createElement, memo, type ReactElement } from 'react'
import type { Row, Tone } from '../cells/row.ts'
import type { Size } from '../screen/size.ts'

// Okabe and Ito's palette, which people who see colours differently can tell apart, too.
const TONES: Readonly<Record<Tone, TextProps>> = {
  good: { color: '#009E73' },
  busy: { color: '#E69F00' },
  bad: { color: '#D55E00', bold: true },
  title: { color: '#56B4E9', bold: true },
  strong: { bold: true },
  quiet: { dimColor: true },
}

interface RowProps {
  readonly row: Row
  readonly hasColor: boolean
}

const Line = memo(
  ({ row, hasColor }: RowProps): ReactElement => {
    const isChosen = row.isChosen === true
    const whole = hasColor ? { inverse: isChosen, dimColor: row.isOld === true } : {}
    const spans = row.spans.map(({ text, tone }, at) => {
      // Colours on the bar of the chosen row would be read badly
      const props = !hasColor || tone === undefined || isChosen ? {} : TONES[tone]
      // oxlint-disable-next-line react/no-array-index-key -- a cell is its place
      return createElement(Text, { key: at, ...props }, text)
    })
    // A row without text would have no height
    return createElement(Text, { wrap: 'truncate-end', ...whole }, spans.length === 0 ? ' ' : spans)
  },
  (a, b) => a.hasColor === b.hasColor && isSameRow(a.row, b.row),
)

export const isSameRow = (a: Row, b: Row): boolean =>
  a === b ||
  (a.isChosen === b.isChosen &&
    a.isOld === b.isOld &&
    a.spans.length === b.spans.length &&
    a.spans.every(({ text, tone }, at) => text === b.spans[at]?.text && tone === b.spans[at]?.tone))

export interface PaintedProps {
  readonly rows: readonly Row[]
  readonly size: Size
  readonly hasColor: boolean
}

/** Rows as they are: all that there was to decide is decided. Rows are clipped already, and Ink's own clipping was a quarter of what a frame costs. */
export const Painted = ({ rows, size, hasColor }: PaintedProps): ReactElement =>
  createElement(
    Box,
    { flexDirection: 'column', width: size.columns, height: size.rows },
    rows.map((row, at) => createElement(Line, { key: at, row, hasColor })),
  )
