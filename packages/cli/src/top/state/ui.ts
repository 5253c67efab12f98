import type { Seen } from '../../client/feed.ts'
import type { Tone } from '../cells/row.ts'
import type { PanelName } from '../panel/panel.ts'

/** Whether the numbers are of now. Times are of the dashboard's own clock. */
export type Link =
  | { readonly type: 'live' }
  | { readonly type: 'lost'; readonly since: number; readonly why: string; readonly retryAt: number | undefined }

/** A row by its key; `at`: its place when it was last seen, which is taken when the row is gone. */
export interface Chosen {
  readonly key: string | undefined
  readonly at: number
}

export interface Sorting {
  /** Which of the panel's orders. */
  readonly by: number
  readonly isReversed: boolean
}

/** What covers the panels: text that can be longer than the screen. */
export interface Overlay {
  readonly type: 'help' | 'request' | 'model' | 'host' | 'event' | 'log'
  /** The key of the row that it is about. */
  readonly key: string
  /** What was fetched for it; null: not yet. */
  readonly lines: readonly string[] | null
  /** Lines that are scrolled past; for a log counted from its end, so that it stays with what comes. */
  readonly scroll: number
}

/** What waits for one of some keys; any other is a no. */
export interface Question {
  readonly text: string
  readonly choices: readonly {
    readonly key: string
    /** What the key does. */
    readonly does: string
    readonly effect: Effect
  }[]
}

/** What is watched: a router, or agents without one. */
export type SourceKind = 'router' | 'agents'

export interface Ui {
  readonly kind: SourceKind
  readonly url: string
  readonly isReadonly: boolean
  /** The router as it was seen last, and when, on the dashboard's clock. */
  readonly seen: (Seen & { readonly seenAt: number }) | undefined
  readonly link: Link
  readonly focus: PanelName
  readonly chosen: Readonly<Record<PanelName, Chosen>>
  readonly sorting: Readonly<Record<PanelName, Sorting>>
  readonly filter: string
  readonly isTyping: boolean
  readonly overlay: Overlay | undefined
  readonly question: Question | undefined
  /** What came of the last key. */
  readonly message: { readonly text: string; readonly tone: Tone | undefined } | undefined
}

/** What a key asks the world outside the dashboard for. */
export type Effect =
  | { readonly type: 'quit'; readonly exitCode: number }
  | { readonly type: 'suspend' }
  | { readonly type: 'load' | 'unload' | 'pin' | 'unpin'; readonly model: string }
  | { readonly type: 'cancel'; readonly request: string }
  | { readonly type: 'explain'; readonly request: string }
  /** `key`: of what is shown it in; `host`: of agents. */
  | { readonly type: 'follow-log'; readonly key: string; readonly model: string; readonly host: string | undefined }
  /** Of an agent: `evict` is stopped first; `force`: though a router uses it. */
  | {
      readonly type: 'load-at'
      readonly host: string
      readonly model: string
      readonly evict: readonly string[]
      readonly force: boolean
    }
  | { readonly type: 'unload-at'; readonly host: string; readonly model: string; readonly force: boolean }
  | { readonly type: 'close-overlay' }

/** What an event makes of the dashboard, and what it asks for. */
export interface Step {
  readonly ui: Ui
  readonly effects: readonly Effect[]
}

const PLACE: Chosen = { key: undefined, at: 0 }
const SORTING: Sorting = { by: 0, isReversed: false }

export const startUi = (options: Pick<Ui, 'kind' | 'url' | 'isReadonly'>): Ui => ({
  ...options,
  seen: undefined,
  link: { type: 'live' },
  focus: 'models',
  chosen: { hosts: PLACE, models: PLACE, queue: PLACE, events: PLACE },
  sorting: { hosts: SORTING, models: SORTING, queue: SORTING, events: SORTING },
  filter: '',
  isTyping: false,
  overlay: undefined,
  question: undefined,
  message: undefined,
})

/** The router's clock now; it stands still while nothing is heard of it. */
export const routerNow = ({ seen, link }: Ui, ownNow: number): number => {
  if (seen === undefined) return 0
  return seen.at + (link.type === 'lost' ? 0 : Math.max(0, ownNow - seen.seenAt))
}
