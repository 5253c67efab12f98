import type { Seen } from '../../client/feed.ts'
import type { Tone } from '../cells/row.ts'
import type { Key } from './key.ts'
import { keepPlace } from './list.ts'
import { onKey } from './on-key.ts'
import type { Overlay, Step, Ui } from './ui.ts'

/** What happened to the dashboard. Times are of its own clock. */
export type UiEvent =
  | { readonly type: 'pressed'; readonly key: Key }
  | { readonly type: 'seen'; readonly seen: Seen; readonly at: number }
  | { readonly type: 'heard' }
  | { readonly type: 'lost'; readonly at: number; readonly why: string; readonly retryAt: number | undefined }
  | { readonly type: 'told'; readonly text: string; readonly tone?: Tone }
  | {
      readonly type: 'fetched'
      readonly overlay: Overlay['type']
      readonly key: string
      readonly lines: readonly string[]
    }
  | { readonly type: 'logged'; readonly key: string; readonly lines: readonly string[] }

/** Lines of a log that are kept: more than anybody scrolls back to. */
const KEPT_LINES = 2_000

/** The dashboard after an event. Pure: the same events give the same screen. */
export const reduce = (ui: Ui, event: UiEvent): Step => {
  if (event.type === 'pressed') return onKey(ui, event.key)
  return { ui: after(ui, event), effects: [] }
}

const after = (ui: Ui, event: Exclude<UiEvent, { type: 'pressed' }>): Ui => {
  switch (event.type) {
    case 'seen':
      return keepPlace({ ...ui, seen: { ...event.seen, seenAt: event.at }, link: { type: 'live' } }, ui.focus)
    case 'heard':
      return ui.link.type === 'live' ? ui : { ...ui, link: { type: 'live' } }
    case 'lost': {
      const since = ui.link.type === 'lost' ? ui.link.since : event.at
      return { ...ui, link: { type: 'lost', since, why: event.why, retryAt: event.retryAt } }
    }
    case 'told':
      return { ...ui, message: { text: event.text, tone: event.tone } }
    case 'fetched':
      return ui.overlay?.type === event.overlay && ui.overlay.key === event.key
        ? { ...ui, overlay: { ...ui.overlay, lines: event.lines } }
        : ui
    case 'logged':
      return logged(ui, event)
    default:
      return event satisfies never
  }
}

const logged = (ui: Ui, { key, lines }: { readonly key: string; readonly lines: readonly string[] }): Ui => {
  const { overlay } = ui
  if (overlay?.type !== 'log' || overlay.key !== key) return ui
  const all = [...(overlay.lines ?? []), ...lines].slice(-KEPT_LINES)
  // Who scrolled back goes on looking at the same lines
  const scroll = overlay.scroll === 0 ? 0 : Math.min(all.length, overlay.scroll + lines.length)
  return { ...ui, overlay: { ...overlay, lines: all, scroll } }
}
