import type { Row, Span, Tone } from './row.ts'
import { fit } from '../../print/width.ts'

export interface Column<Item> {
  readonly title: string
  readonly cell: (item: Item, now: number) => string
  readonly align?: 'right'
  /** Where there is no room, those with the highest number go first. */
  readonly priority: number
  /** Columns of the terminal that it takes. */
  readonly width: number
  /** It is left out where the screen is narrower, though it had room: what others say is worth more. */
  readonly from?: number
  /** Its share of what is left over, and the most that it takes of it. */
  readonly grows?: { readonly share: number; readonly max: number }
  readonly tone?: (item: Item, now: number) => Tone | undefined
}

export interface SizedColumn<Item> extends Column<Item> {
  readonly size: number
}

/** In front of each row: the mark of the chosen one. */
const MARK = '› '
const NO_MARK = '  '
const GAP = 2

/** The columns that have room, with their sizes. The same width gives the same columns, whatever the items say. */
export const sizeColumns = <Item>(columns: readonly Column<Item>[], width: number): readonly SizedColumn<Item>[] => {
  let kept = columns.filter(({ from = 0 }) => from <= width)
  const needed = (): number => MARK.length + kept.reduce((sum, column) => sum + column.width + GAP, -GAP)
  while (needed() > width && kept.length > 1) {
    const last = Math.max(...kept.map(({ priority }) => priority))
    const gone = kept.findLastIndex(({ priority }) => priority === last)
    kept = kept.filter((_, at) => at !== gone)
  }
  return spread(kept, width - needed())
}

const spread = <Item>(columns: readonly Column<Item>[], spare: number): readonly SizedColumn<Item>[] => {
  const sized = columns.map((column) => ({ ...column, size: column.width }))
  let left = Math.max(0, spare)
  while (left > 0) {
    const growing = sized.filter(({ grows, size }) => grows !== undefined && size < grows.max)
    if (growing.length === 0) break
    const shares = growing.reduce((sum, { grows }) => sum + (grows?.share ?? 0), 0)
    const before = left
    for (const column of growing) {
      const more = Math.max(1, Math.floor((before * (column.grows?.share ?? 0)) / shares))
      const taken = Math.min(more, left, (column.grows?.max ?? 0) - column.size)
      column.size += taken
      left -= taken
    }
  }
  // A screen narrower than its one column shows what fits
  if (spare < 0) for (const column of sized) column.size = Math.max(1, column.size + spare)
  return sized
}

export const headerRow = <Item>(columns: readonly SizedColumn<Item>[]): Row => ({
  spans: [
    { text: NO_MARK + columns.map(({ title, size, align }) => fit(title, size, align)).join(GAP_TEXT), tone: 'quiet' },
  ],
})

const GAP_TEXT = ' '.repeat(GAP)

export const itemRow = <Item>(
  columns: readonly SizedColumn<Item>[],
  item: Item,
  { now, isChosen }: { readonly now: number; readonly isChosen: boolean },
): Row => ({
  isChosen,
  spans: [
    { text: isChosen ? MARK : NO_MARK },
    ...columns.map((column, at): Span => {
      const cell = fit(column.cell(item, now), column.size, column.align)
      const text = at === 0 ? cell : GAP_TEXT + cell
      const tone = column.tone?.(item, now)
      return tone === undefined ? { text } : { text, tone }
    }),
  ],
})
