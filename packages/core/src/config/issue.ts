import { LineCounter } from 'yaml'
import type { ConfigIssue } from './config.ts'
import { nearest } from './nearest.ts'

/** Keys and list positions from the top of the file. */
export type Path = readonly (string | number)[]

/** What a check has found; `at` is an offset in the file's text. */
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
  /** Everything so far, in the order of the file. */
  issues(): readonly ConfigIssue[]
}

/** More than anybody reads; a file that is no configuration at all could give a finding for each of its lines. */
const MAX_ISSUES = 1_000

/** All lines of a text. The parser counts them as well, but leaves some out where a file is broken. */
export const countLines = (text: string): LineCounter => {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  return lines
}

export const createReport = (file: string, lines: LineCounter): Report => {
  const found: ConfigIssue[] = []
  const counts = { error: 0, warning: 0 }

  const add = (severity: ConfigIssue['severity'], finding: Finding): void => {
    counts[severity] += 1
    if (counts[severity] > MAX_ISSUES) return
    const { line, col } = lines.linePos(finding.at)
    const suggestion = finding.meant && nearest(finding.meant.given, finding.meant.valid)
    found.push({
      severity,
      file,
      line,
      column: col,
      path: formatPath(finding.path),
      message: finding.message,
      ...(suggestion !== undefined && { suggestion }),
    })
  }

  const left = (severity: ConfigIssue['severity'], last: ConfigIssue): readonly ConfigIssue[] => {
    const more = counts[severity] - MAX_ISSUES
    return more > 0 ? [{ severity, file, line: last.line, column: last.column, path: '', message: `${more} more` }] : []
  }

  return {
    error: (finding) => add('error', finding),
    warning: (finding) => add('warning', finding),
    hasErrors: () => counts.error > 0,
    issues: () => {
      const sorted = found.toSorted((a, b) => a.line - b.line || a.column - b.column)
      const last = sorted.at(-1)
      return last ? [...sorted, ...left('error', last), ...left('warning', last)] : []
    },
  }
}

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
