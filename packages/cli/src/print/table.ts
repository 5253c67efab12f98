import { plainLine } from './plain.ts'
import type { Style } from './style.ts'
import { widthOf } from './width.ts'

export interface Column<Row> {
  readonly title: string
  /** Undefined: nothing to show, printed as `-`, so that the number of words in a line stays the same. */
  readonly cell: (row: Row) => string | undefined
  readonly align?: 'left' | 'right'
  readonly paint?: (text: string, row: Row) => string
}

/** Rows under a header, in columns as wide as they need; the same text for a terminal, a file and a pipe. */
export const table = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: Style): string => {
  const texts = rows.map((row) => columns.map((column) => plainLine(column.cell(row) ?? '-')))
  const widths = columns.map((column, at) =>
    Math.max(widthOf(column.title), ...texts.map((cells) => widthOf(cells[at] ?? ''))),
  )
  const line = (cells: readonly string[], painted: (text: string, at: number) => string): string =>
    cells
      .map((text, at) => {
        const space = ' '.repeat((widths[at] ?? 0) - widthOf(text))
        if (columns[at]?.align === 'right') return space + painted(text, at)
        // The last column needs no padding: trailing spaces only wrap lines
        return at === cells.length - 1 ? painted(text, at) : painted(text, at) + space
      })
      .join('  ')
  const header = line(
    columns.map((column) => column.title),
    (text) => style.bold(text),
  )
  const body = rows.map((row, at) =>
    line(texts[at] ?? [], (text, column) => columns[column]?.paint?.(text, row) ?? text),
  )
  return `${[header, ...body].join('\n')}\n`
}
