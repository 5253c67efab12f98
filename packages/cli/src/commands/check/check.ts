import { type Config, type ConfigIssue, type ConfigReading, formatIssue } from '@lswap/core'
import { VERSION } from '../../version.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import { locateConfig } from '../serve/locate-config.ts'
import { checkSettings } from '../serve/read-settings.ts'
import type { AgentsCheck } from './agents.ts'
import type { CheckFlags } from './command.ts'

const BAD_CONFIG = 2

/** Tells everything that is wrong with a configuration, in the order of its files. */
export const checkConfig = async (flags: CheckFlags, { io, say }: TaskContext): Promise<Outcome> => {
  const source = await locateConfig(flags, io)
  const reading = checkSettings(source, io)
  const issues = reading.ok ? reading.warnings : reading.issues
  say(`${source.name}: ${verdict(reading, issues)}`)
  const dialled = reading.ok && flags.agents === true ? await dial(reading.config, say) : undefined
  return {
    data: {
      ok: reading.ok,
      files: source.files.map(({ file }) => file),
      ...(reading.ok && { models: reading.config.models.map(({ id }) => id) }),
      issues: issues.map(dataOf),
      ...(dialled && { agents: dialled.agents, unplaced: dialled.unplaced }),
    },
    text: [...issues.map((issue) => formatIssue(issue)), ...(dialled === undefined ? [] : linesOf(dialled))]
      .map((line) => `${line}\n`)
      .join(''),
    exitCode: exitCode(reading, dialled),
  }
}

const exitCode = (reading: ConfigReading, dialled: AgentsCheck | undefined): 0 | 1 | 2 => {
  if (!reading.ok) return BAD_CONFIG
  return (dialled?.problems ?? 0) > 0 ? 1 : 0
}

const dial = async (config: Config, say: (line: string) => void): Promise<AgentsCheck> => {
  if (config.agents.length === 0) say('agents: none are named')
  // Their client is read only where there are any
  const { checkAgents } = await import('./agents.ts')
  return checkAgents(config, VERSION)
}

const linesOf = ({ agents, unplaced }: AgentsCheck): readonly string[] => [
  ...agents.map(({ host, url, verdict: word, message, hint }) =>
    [`agent ${host} (${url}): ${word}: ${message}`, ...(hint === undefined ? [] : [hint])].join('. '),
  ),
  ...(unplaced.length === 0 ? [] : [`models: error: no host has ${unplaced.join(', ')}`]),
]

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
