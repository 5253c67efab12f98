import { askRequests, type KnownRequest } from '../../client/requests.ts'
import { connect } from '../../client/router-client.ts'
import { type Column, table } from '../../print/table.ts'
import { clockText, fineDuration } from '../../print/units.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { ExplainFlags } from './command.ts'

/** The requests that can be explained: who wants to know about one seldom has its number. */
export const listRequests = async (flags: ExplainFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const { requests, total, document } = await askRequests(router, flags.limit)
  if (total === 0 && context.io.stdout.isTTY === true) context.say('No request came yet.')
  const hidden = total - requests.length
  const more = hidden > 0 ? `… and ${hidden} more\n` : ''
  return { data: document, text: table(COLUMNS, requests, context.style) + more, exitCode: 0 }
}

const present = <Value>(value: Value | undefined, print: (value: Value) => string): string | undefined =>
  value === undefined ? undefined : print(value)

const COLUMNS: readonly Column<KnownRequest>[] = [
  { title: 'REQUEST', cell: (row) => present(row.id, String), align: 'right' },
  { title: 'AT', cell: (row) => present(row.receivedAt, clockText) },
  { title: 'MODEL', cell: (row) => row.model },
  { title: 'STATE', cell: (row) => row.state },
  { title: 'HOST', cell: (row) => row.host },
  { title: 'TOOK', cell: (row) => present(row.durationMs, fineDuration), align: 'right' },
  { title: 'KEY', cell: (row) => row.caller },
  { title: 'ERROR', cell: (row) => row.error },
]
