import type { ConfigIssue } from './reading.ts'
import { nearest } from './nearest.ts'
import type { Sources } from './sources.ts'
import { tokenEnd } from './token-end.ts'

/** Keys and list positions from the top of the file. */
export type Path = readonly (string | number)[]

/** What a check has found; `at` is an offset in the text of all files. */
export interface Finding {
  readonly at: number
  readonly path: Path
  readonly message: string
  /** What was written, and the valid spellings: the nearest becomes the suggestion. */
  readonly meant?: { readonly given: string; readonly valid: Iterable<string> }
}

/** Collects issues with their places. */
export interface Report {
  error(finding: Finding): void
  warning(finding: Finding): void
  hasErrors(): boolean
  /** The file that a place is in. */
  fileAt(at: number): string
  /** Everything so far, in the order of the files. */
  issues(): readonly ConfigIssue[]
}

/** More than anybody reads; a file that is no configuration at all could give a finding for each of its lines. */
const MAX_ISSUES = 1_000

export const createReport = (sources: Sources): Report => {
  const found: { readonly at: number; readonly issue: ConfigIssue }[] = []
  const counts = { error: 0, warning: 0 }

  const add = (severity: ConfigIssue['severity'], finding: Finding): void => {
    counts[severity] += 1
    if (counts[severity] > MAX_ISSUES) return
    const { at } = finding
    const { file, line, column } = sources.placeOf(at)
    const end = sources.placeOf(tokenEnd(sources.text, at))
    const suggestion = finding.meant && nearest(finding.meant.given, finding.meant.valid)
    const issue: ConfigIssue = {
      severity,
      file,
      line,
      column,
      endLine: end.line,
      endColumn: end.column,
      path: formatPath(finding.path),
      message: finding.message,
      ...(suggestion !== undefined && { suggestion }),
    }
    found.push({ at, issue })
  }

  const left = (severity: ConfigIssue['severity'], last: ConfigIssue): readonly ConfigIssue[] => {
    const more = counts[severity] - MAX_ISSUES
    return more > 0 ? [{ ...placeOnly(last), severity, path: '', message: `${more} more` }] : []
  }

  return {
    error: (finding) => add('error', finding),
    warning: (finding) => add('warning', finding),
    hasErrors: () => counts.error > 0,
    fileAt: (at) => sources.placeOf(at).file,
    issues: () => {
      const sorted = found.toSorted((a, b) => a.at - b.at).map(({ issue }) => issue)
      const last = sorted.at(-1)
      return last ? [...sorted, ...left('error', last), ...left('warning', last)] : []
    },
  }
}

const placeOnly = ({ file, line, column, endLine, endColumn }: ConfigIssue) => ({
  file,
  line,
  column,
  endLine,
  endColumn,
})

/** `models.tiny.aliases[0]`; a key that is more than a plain word is quoted: `models["llama 3:8b"].cmd`. */
export const formatPath = (path: Path): string => {
  let out = ''
  for (const part of path) {
    if (typeof part === 'number') out += `[${part}]`
    else if (/^[\w-]+$/.test(part)) out += out === '' ? part : `.${part}`
    else out += `[${JSON.stringify(part)}]`
  }
  return out
}

/** One line for people and editors: `file:line:column: error: path: message (did you mean …?)`. */
export const formatIssue = (issue: ConfigIssue): string => {
  const path = issue.path === '' ? '' : `${issue.path}: `
  const meant = issue.suggestion === undefined ? '' : ` (did you mean ${issue.suggestion}?)`
  const line = `${issue.file}:${issue.line}:${issue.column}: ${issue.severity}: ${path}${issue.message}${meant}`
  // Text out of the file must not start lines or colours of its own in a terminal.
  // eslint-disable-next-line no-control-regex
  return line.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ')
}
