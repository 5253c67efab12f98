import type { FeedState } from '@lswap/core/protocol'
import type { Column } from '../cells/columns.ts'

export const PANELS = ['hosts', 'models', 'queue', 'events'] as const
/** Of agents without a router: nobody waits at them. */
export const AGENT_PANELS = ['hosts', 'models', 'events'] as const satisfies readonly PanelName[]
export type PanelName = (typeof PANELS)[number]

/** An order that rows can be put in. */
export interface Sort<Item> {
  readonly name: string
  /** Undefined: as the router tells them. */
  readonly compare?: (a: Item, b: Item) => number
}

/** A list on the screen: what is in it, and how. */
export interface Panel<Item> {
  readonly name: PanelName
  /** Its title, with what counts. */
  readonly title: (state: FeedState) => string
  /** What is said when it is empty. */
  readonly empty: string
  readonly items: (state: FeedState) => readonly Item[]
  readonly keyOf: (item: Item) => string
  /** What a filter looks in. */
  readonly words: (item: Item) => string
  readonly columns: readonly Column<Item>[]
  /** Whether the names of its columns are shown. */
  readonly hasHeader: boolean
  readonly sorts: readonly Sort<Item>[]
  /** Whether what it says of one may be out of date. */
  readonly isOld?: (item: Item) => boolean
  /** A sentence about one of them. */
  readonly sentence: (item: Item, state: FeedState, now: number) => string
}
