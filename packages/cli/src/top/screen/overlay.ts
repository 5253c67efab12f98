import type { Row } from '../cells/row.ts'
import { cut, widthOf } from '../../print/width.ts'
import { wrap } from '../cells/wrap.ts'
import type { Overlay, Ui } from '../state/ui.ts'
import { overlayText } from './overlay-text.ts'
import type { Frame, Size } from './size.ts'

/** Text that covers the panels, scrolled no further than it goes. */
export const overlayRows = (ui: Ui & { readonly overlay: Overlay }, size: Size, now: number): Frame => {
  const { overlay } = ui
  const { title, lines } = overlayText(ui, now)
  const wrapped = lines.flatMap((line) => wrap(line, size.columns))
  const height = Math.max(0, size.rows - 1)
  const scroll = Math.max(0, Math.min(overlay.scroll, wrapped.length - height))
  const first = overlay.type === 'log' ? Math.max(0, wrapped.length - height - scroll) : scroll
  const place =
    wrapped.length > height ? `lines ${first + 1}–${Math.min(first + height, wrapped.length)} of ${wrapped.length}` : ''
  return {
    rows: [
      titleRow(place === '' ? title : `${title} · ${place}`, size.columns),
      ...wrapped.slice(first, first + height).map((text): Row => ({ spans: [{ text }] })),
    ],
    scroll,
  }
}

const titleRow = (title: string, columns: number): Row => {
  const text = cut(`▶ ${title} `, columns)
  return {
    spans: [
      { text, tone: 'title' },
      { text: '─'.repeat(Math.max(0, columns - widthOf(text))), tone: 'quiet' },
    ],
  }
}
