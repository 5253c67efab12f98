import { clipRow, type Row } from '../cells/row.ts'
import { panelsOf } from '../panel/panels.ts'
import { listOf } from '../state/list.ts'
import { routerNow, type Ui } from '../state/ui.ts'
import { detailRows } from './detail.ts'
import { footerRow } from './footer.ts'
import { headerRow } from './header.ts'
import { shareHeight } from './heights.ts'
import { overlayRows } from './overlay.ts'
import { panelRows, wantedRows, type Lists } from './panel-rows.ts'
import type { Frame, Size } from './size.ts'

/** Below this there is one row for the sentence, and two above it. */
const LOW = 20

/** The whole screen as rows of cells. Pure; `ownNow` is the dashboard's clock. */
export const screen = (ui: Ui, size: Size, ownNow: number): Frame => {
  const { columns } = size
  const footer = footerRow(ui, columns)
  const header = headerRow(ui, { columns, ownNow })
  // A screen of one or two rows
  if (size.rows < 3)
    return {
      rows: [clipRow(size.rows === 2 ? header : footer, columns), clipRow(footer, columns)].slice(0, size.rows),
      scroll: ui.overlay?.scroll,
    }
  const height = size.rows < 8 ? 0 : size.rows < LOW ? 1 : 2
  const detail = detailRows(ui, { columns, height, ownNow })
  const room = size.rows - 2 - height
  const middle =
    ui.overlay === undefined
      ? { rows: panels(ui, { columns, rows: room }, ownNow), scroll: undefined }
      : overlayRows({ ...ui, overlay: ui.overlay }, { columns, rows: room }, routerNow(ui, ownNow))
  const isOld = ui.link.type === 'lost'
  const shown = isOld ? middle.rows.map((row) => Object.assign({}, row, { isOld })) : middle.rows
  const blank = Array.from({ length: Math.max(0, room - shown.length) }, (): Row => ({ spans: [] }))
  const rows = [header, ...shown, ...blank, ...detail, footer]
  // What the parts are made for is wider than a screen of a few columns
  return { rows: rows.map((row) => clipRow(row, columns)), scroll: middle.scroll }
}

const panels = (ui: Ui, { columns, rows }: Size, ownNow: number): readonly Row[] => {
  const lists: Lists = {
    hosts: listOf(ui, 'hosts'),
    models: listOf(ui, 'models'),
    queue: listOf(ui, 'queue'),
    events: listOf(ui, 'events'),
  }
  const wanted = {
    hosts: wantedRows(lists.hosts),
    models: wantedRows(lists.models),
    queue: wantedRows(lists.queue),
    events: wantedRows(lists.events),
  }
  const heights = shareHeight(wanted, { height: rows, focus: ui.focus, names: panelsOf(ui.kind) })
  const now = routerNow(ui, ownNow)
  return panelsOf(ui.kind)
    .flatMap((name) => {
      const height = heights[name]
      return height === undefined ? [] : panelRows(ui, lists[name], { columns, height, now })
    })
    .slice(0, rows)
}
