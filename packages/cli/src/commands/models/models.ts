import { askModels, type KnownModel } from '../../client/models.ts'
import { connect } from '../../client/router-client.ts'
import { paintState } from '../../print/model-state.ts'
import type { Style } from '../../print/style.ts'
import { type Column, table } from '../../print/table.ts'
import { duration } from '../../print/units.ts'
import type { RouterFlags } from '../flags.ts'
import type { Outcome, TaskContext } from '../invocation.ts'

/** What can be asked for. */
export const models = async (flags: RouterFlags, context: TaskContext): Promise<Outcome> => {
  const router = await connect(flags, context)
  const { models: known, document } = await askModels(router)
  if (known.length === 0 && context.io.stdout.isTTY === true)
    context.say('No model is configured, or none for this key.')
  return { data: document, text: table(columns(context.style, known), known, context.style), exitCode: 0 }
}

const columns = (style: Style, known: readonly KnownModel[]): readonly Column<KnownModel>[] => [
  { title: 'MODEL', cell: ({ id }) => id },
  { title: 'STATE', cell: ({ state }) => state, paint: (text, { state }) => paintState(state, text, style) },
  { title: 'HOSTS', cell: ({ hosts }) => list(hosts) },
  { title: 'WAIT', cell: ({ waiting }) => waiting?.toString(), align: 'right' },
  {
    title: 'LOAD',
    cell: ({ expectedLoadMs }) => (expectedLoadMs === undefined ? undefined : duration(expectedLoadMs)),
    align: 'right',
  },
  // Only where it decides what must go
  ...(known.some(({ need }) => need !== undefined) ? [{ title: 'NEEDS', cell: ({ need }: KnownModel) => need }] : []),
  { title: 'ALIASES', cell: ({ aliases }) => list(aliases) },
]

const list = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : names.join(', '))
