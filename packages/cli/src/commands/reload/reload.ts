import type { ConfigChanges, ConfigIssue } from '@lswap/core'
import { LswapError } from '@lswap/core/errors'
import type { Answer } from '../../client/call.ts'
import { isRecord } from '../../client/fields.ts'
import { connect, QUICK_MS } from '../../client/router-client.ts'
import { changeText } from '../../print/change.ts'
import { plainLine } from '../../print/plain.ts'
import type { RouterFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'

const BAD_CONFIG = 2

/** Lets a router read its configuration again, and tells what that changed. */
export const reload = async (flags: RouterFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  let answer: Answer
  try {
    answer = await router.ask({ method: 'POST', path: '/api/reload', deadlineMs: QUICK_MS })
  } catch (error) {
    // All that is wrong is more than one sentence about it
    const told = error instanceof LswapError ? error.cause : undefined
    if (isRecord(told) && Array.isArray(told['issues'])) return mistakes(told as unknown as Refused)
    throw error
  }
  const changes = answer.body as ConfigChanges & { readonly warnings: readonly ConfigIssue[] }
  for (const warning of changes.warnings) context.say(await lineOf(warning))
  if (changes.needsRestart.length > 0)
    context.say(`after a restart of lswap only: ${plainLine(changes.needsRestart.join(', '))}`)
  return { data: changes, text: textOf(changes), exitCode: 0 }
}

interface Refused {
  readonly error: { readonly message: string }
  readonly issues: readonly ConfigIssue[]
}

const mistakes = async (refused: Refused): Promise<Outcome> => {
  const lines = await Promise.all(refused.issues.map(lineOf))
  return { data: refused, text: [...lines, plainLine(refused.error.message), ''].join('\n'), exitCode: BAD_CONFIG }
}

/** Not loaded before it is needed: it brings everything that reads configurations. */
const lineOf = async (issue: ConfigIssue): Promise<string> => {
  const { formatIssue } = await import('@lswap/core')
  return formatIssue(issue)
}

const textOf = ({ models, settings }: ConfigChanges): string => {
  const named: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['added', models.added],
    ['changed', models.changed.map(changeText)],
    ['removed', models.removed],
    ['settings', settings],
  ]
  const lines = named.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(', ')}`)
  const told = lines.length === 0 ? ['nothing is different'] : [...lines, `unchanged: ${models.unchanged.length}`]
  return told.map((line) => `${plainLine(line)}\n`).join('')
}
