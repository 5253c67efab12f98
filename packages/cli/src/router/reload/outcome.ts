import type { ConfigChanges, ConfigIssue, Failure } from '@lswap/core'

/** What came of reading the configuration again. */
export type ReloadOutcome =
  | { readonly ok: true; readonly changes: ConfigChanges; readonly warnings: readonly ConfigIssue[] }
  /** Nothing was changed. `issues`: everything that is wrong with the file, with its place. */
  | { readonly ok: false; readonly failure: Failure; readonly issues: readonly ConfigIssue[] }

/** Who asked for a reload, for the log. */
export type ReloadCause = 'SIGHUP' | 'POST /api/reload' | 'the file changed'
