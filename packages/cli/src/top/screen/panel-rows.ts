import { headerRow, itemRow, sizeColumns } from '../cells/columns.ts'
import type { Row } from '../cells/row.ts'
import { cut, widthOf } from '../../print/width.ts'
import type { PanelName } from '../panel/panel.ts'
import type { List } from '../state/list.ts'
import type { Ui } from '../state/ui.ts'

export interface PanelSize {
  readonly columns: number
  /** Rows of items. */
  readonly height: number
  readonly now: number
}

/** A panel: its title, the names of its columns, and as many rows as it may have, with the chosen one among them. */
export const panelRows = (ui: Ui, list: List, { columns, height, now }: PanelSize): readonly Row[] => {
  const { panel, items, chosenAt } = list
  const isFocus = ui.focus === panel.name
  const rows: Row[] = [titleRow(ui, list, columns)]
  const sized = sizeColumns(panel.columns, columns)
  if (panel.hasHeader) rows.push(headerRow(sized))
  if (items.length === 0 && height > 0) {
    const text = ui.filter === '' ? panel.empty : `nothing here matches "${ui.filter}"`
    return [...rows, { spans: [{ text: cut(`  ${text}`, columns), tone: 'quiet' }] }]
  }
  const first = firstShown(chosenAt, { height, count: items.length, isFocus })
  for (const [at, item] of items.slice(first, first + height).entries()) {
    const row = itemRow(sized, item, { now, isChosen: isFocus && first + at === chosenAt })
    rows.push(panel.isOld?.(item) === true ? { ...row, isOld: true } : row)
  }
  return rows
}

/** The chosen row in the middle, except near the ends. Follows from the place alone, so that the same place looks the same. */
const firstShown = (
  chosenAt: number,
  { height, count, isFocus }: { readonly height: number; readonly count: number; readonly isFocus: boolean },
): number => {
  if (!isFocus) return 0
  const middle = chosenAt - Math.floor(height / 2)
  return Math.max(0, Math.min(middle, count - height))
}

const titleRow = (ui: Ui, { panel, items, total, chosenAt }: List, columns: number): Row => {
  const isFocus = ui.focus === panel.name
  const parts = [ui.seen === undefined ? panel.name : panel.title(ui.seen.state)]
  if (ui.filter !== '') parts.push(`${items.length} of ${total} with "${ui.filter}"`)
  const { by, isReversed } = ui.sorting[panel.name]
  if (by !== 0 || isReversed) parts.push(`by ${panel.sorts[by]?.name ?? ''}${isReversed ? ', turned round' : ''}`)
  if (isFocus && items.length > 0) parts.push(`row ${chosenAt + 1}`)
  const text = cut(`${isFocus ? '▶' : '─'} ${parts.join(' · ')} `, columns)
  const line = '─'.repeat(Math.max(0, columns - widthOf(text)))
  return {
    spans: [
      { text, tone: isFocus ? 'title' : 'strong' },
      { text: line, tone: 'quiet' },
    ],
  }
}

/** How many rows of items a panel would like. */
export const wantedRows = ({ panel, items }: List): { readonly frame: number; readonly rows: number } => ({
  frame: panel.hasHeader ? 2 : 1,
  rows: Math.max(1, items.length),
})

export type Lists = Readonly<Record<PanelName, List>>
