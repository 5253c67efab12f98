import { type ConfigIssue, type ConfigReading, formatIssue } from '@lswap/core'
import type { Outcome, TaskContext } from '../invocation.ts'
import { locateConfig } from '../serve/locate-config.ts'
import { checkSettings } from '../serve/read-settings.ts'
import type { CheckFlags } from './command.ts'

const BAD_CONFIG = 2

/** Tells everything that is wrong with a configuration, in the order of its files. */
export const checkConfig = async (flags: CheckFlags, { io, say }: TaskContext): Promise<Outcome> => {
  const source = await locateConfig(flags, io)
  const reading = checkSettings(source, io)
  const issues = reading.ok ? reading.warnings : reading.issues
  say(`${source.name}: ${verdict(reading, issues)}`)
  return {
    data: {
      ok: reading.ok,
      files: source.files.map(({ file }) => file),
      ...(reading.ok && { models: reading.config.models.map(({ id }) => id) }),
      issues: issues.map(dataOf),
    },
    text: issues.map((issue) => `${formatIssue(issue)}\n`).join(''),
    exitCode: reading.ok ? 0 : BAD_CONFIG,
  }
}

/** Lines and columns count from 1; the end is behind the last character. */
const dataOf = ({ severity, file, line, column, endLine, endColumn, path, message, suggestion }: ConfigIssue) => ({
  severity,
  file,
  range: { start: { line, column }, end: { line: endLine, column: endColumn } },
  path,
  message,
  suggestion: suggestion ?? null,
})

const verdict = (reading: ConfigReading, issues: readonly ConfigIssue[]): string => {
  const errors = issues.filter(({ severity }) => severity === 'error').length
  const warnings = issues.length - errors
  const told = [counted(errors, 'error'), counted(warnings, 'warning')].filter((text) => text !== '').join(', ')
  if (!reading.ok) return told
  return [`good, ${counted(reading.config.models.length, 'model')}`, told].filter((text) => text !== '').join(', ')
}

const counted = (count: number, what: string): string => {
  if (count === 0) return ''
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
