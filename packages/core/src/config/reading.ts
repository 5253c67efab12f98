import type { Config } from './config.ts'

/** Something wrong in a configuration file, with its place; line and column count from 1. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly line: number
  readonly column: number
  /** Behind the key or value that it is about. */
  readonly endLine: number
  readonly endColumn: number
  /** Keys from the top, as in `models.tiny.cmd`. */
  readonly path: string
  readonly message: string
  /** The valid key or value that was probably meant. */
  readonly suggestion?: string
}

export type ConfigReading =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly ConfigIssue[] }
  | { readonly ok: false; readonly issues: readonly ConfigIssue[] }
