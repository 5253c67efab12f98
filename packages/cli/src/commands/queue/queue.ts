import { askQueue, type Waiting } from '../../client/queue.ts'
import { connect } from '../../client/router-client.ts'
import { estimateText } from '../../print/estimate.ts'
import { type Column, table } from '../../print/table.ts'
import { duration } from '../../print/units.ts'
import type { Outcome, TaskContext } from '../invocation.ts'
import type { QueueFlags } from './command.ts'

/** Who waits at the router, and why. */
export const queue = async (flags: QueueFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const { waiting, total, document } = await askQueue(router, flags.limit)
  if (total === 0 && context.io.stdout.isTTY === true) context.say('Nobody waits.')
  const hidden = total - waiting.length
  const more = hidden > 0 ? `… and ${hidden} more\n` : ''
  return { data: document, text: table(COLUMNS, waiting, context.style) + more, exitCode: 0 }
}

const present = <Value>(value: Value | undefined, print: (value: Value) => string): string | undefined =>
  value === undefined ? undefined : print(value)

const COLUMNS: readonly Column<Waiting>[] = [
  { title: 'POS', cell: (row) => present(row.position, String), align: 'right' },
  { title: 'REQUEST', cell: (row) => present(row.id, String), align: 'right' },
  { title: 'MODEL', cell: (row) => row.model },
  { title: 'BAND', cell: (row) => row.band },
  { title: 'PRIO', cell: (row) => present(row.priority, String), align: 'right' },
  { title: 'WAITED', cell: (row) => present(row.waitedMs, duration), align: 'right' },
  { title: 'ESTIMATE', cell: (row) => present(row.estimate, estimateText) },
  { title: 'WHY', cell: (row) => row.why },
]
