import { connect } from '../../client/router-client.ts'
import { running, type RunningHost, type RunningModel } from '../../client/running.ts'
import { paintState } from '../../print/model-state.ts'
import type { Style } from '../../print/style.ts'
import { type Column, table } from '../../print/table.ts'
import { bytes, duration } from '../../print/units.ts'
import type { RouterFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'

/** What runs on the router's hosts. */
export const ps = async (flags: RouterFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const { document, models, hosts, unplaced } = await running(router)
  if (models.length === 0 && context.io.stdout.isTTY === true) context.say('Nothing is loaded.')
  for (const host of hosts) for (const line of wrongWith(host)) context.say(line)
  for (const { model, state, reason } of models) {
    if (state === 'stuck') context.say(`${model} is stuck: ${reason ?? 'its process does not end'}.`)
  }
  if (unplaced.length > 0) context.say(`No host has: ${unplaced.join(', ')}.`)
  return { data: document, text: table(columns(context.style, models), models, context.style), exitCode: 0 }
}

const columns = (style: Style, models: readonly RunningModel[]): readonly Column<RunningModel>[] => [
  { title: 'MODEL', cell: (row) => row.model },
  { title: 'STATE', cell: (row) => row.state, paint: (text, row) => paintState(row.state, text, style) },
  { title: 'HOST', cell: (row) => row.host },
  { title: 'PID', cell: (row) => count(row.pid), align: 'right' },
  { title: 'MEM', cell: (row) => present(row.memoryBytes, bytes), align: 'right' },
  ...(models.some(({ need }) => need !== undefined)
    ? [{ title: 'NEEDS', cell: ({ need }: RunningModel) => need }]
    : []),
  { title: 'INFLIGHT', cell: (row) => count(row.inFlight), align: 'right' },
  { title: 'WAIT', cell: (row) => count(row.waiting), align: 'right' },
  { title: 'IDLE', cell: (row) => present(row.idleMs, duration), align: 'right' },
  { title: 'UNTIL', cell: until },
]

const present = (value: number | undefined, print: (value: number) => string): string | undefined =>
  value === undefined ? undefined : print(value)

const count = (value: number | undefined): string | undefined => present(value, String)

/** A pinned model stays: no other end is in sight. What made room for another one may come back. */
const until = ({ pinned, untilMs, restoreMs }: RunningModel): string | undefined => {
  if (pinned) return 'pinned'
  return restoreMs === undefined ? present(untilMs, (ms) => `in ${duration(ms)}`) : `back in ${duration(restoreMs)}`
}

/** A line for everything that is wrong with a host. */
const wrongWith = ({ host, up, reason, since, problems }: RunningHost): readonly string[] => {
  if (up) return problems.map(({ message }) => `The host ${host}: ${message}.`)
  const asOf = since === undefined ? '' : `, since ${new Date(since).toISOString()}`
  const hint = problems.find((problem) => problem.hint !== undefined)?.hint
  const text = `The host ${host} can not be used: ${reason ?? 'it does not answer'}${asOf}.`
  return [hint === undefined ? text : `${text} ${hint}`]
}
