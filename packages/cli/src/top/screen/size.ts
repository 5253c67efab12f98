import type { Row } from '../cells/row.ts'

/** Of a terminal. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

/** What is painted: never more rows than the screen has, and none wider than it. */
export interface Frame {
  readonly rows: readonly Row[]
  /** Lines that the overlay is really scrolled by; undefined: there is none. */
  readonly scroll: number | undefined
}
