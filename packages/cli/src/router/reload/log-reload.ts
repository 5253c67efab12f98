import { formatIssue, isSameConfig, type ConfigIssue } from '@lswap/core'
import { changeText } from '../../print/change.ts'
import type { Log } from '../log.ts'
import type { ReloadCause, ReloadOutcome } from './outcome.ts'

/** A file with more mistakes is another one than meant; the answer of the API has them all. */
const MOST_LINES = 20

/** Tells what a reload did, or why it did nothing: one line for each mistake, as at the start. */
export const logReload = (log: Log, causes: ReadonlySet<ReloadCause>, outcome: ReloadOutcome): void => {
  const cause = [...causes].join(', ')
  if (!outcome.ok) {
    tell(outcome.issues, (line) => log.error({}, line))
    const { code, message } = outcome.failure
    log.error({ cause, code, reason: message }, 'reload: nothing was changed')
    return
  }
  tell(outcome.warnings, (line) => log.warn({}, line))
  const { changes } = outcome
  if (isSameConfig(changes)) {
    // A watch looks once for nothing at the start, and a backup may touch the file every night
    if (causes.size === 1 && causes.has('the file changed')) log.debug({ cause }, 'reload: nothing is different')
    else log.info({ cause }, 'reload: nothing is different')
    return
  }
  const { models, settings, needsRestart } = changes
  const named = {
    added: models.added,
    changed: models.changed.map(changeText),
    removed: models.removed,
    settings,
    needsRestart,
  }
  const filled = Object.fromEntries(Object.entries(named).filter(([, names]) => names.length > 0))
  log.info({ cause, ...filled, unchanged: models.unchanged.length }, 'reload: done')
  if (needsRestart.length > 0) log.warn({ needsRestart }, 'reload: these act only after a restart of lswap')
}

const tell = (issues: readonly ConfigIssue[], write: (line: string) => void): void => {
  for (const issue of issues.slice(0, MOST_LINES)) write(formatIssue(issue))
  if (issues.length > MOST_LINES) write(`and ${issues.length - MOST_LINES} more`)
}
