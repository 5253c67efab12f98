import type { Seen } from '../../client/feed.ts'
import { plainLine } from '../../print/plain.ts'
import type { Style } from '../../print/style.ts'
import { table } from '../../print/table.ts'
import { duration } from '../../print/units.ts'
import type { Source } from '../source/source.ts'
import { panelOf, panelsOf } from '../panel/panels.ts'

/** Events that are shown: what led here, not the whole history. */
const SHOWN_EVENTS = 10

/** Everything that the dashboard shows, as text for a file or a pipe: no row is cut but events. */
export const snapshotText = (seen: Seen, source: Pick<Source, 'kind' | 'url'>, style: Style): string => {
  const { state, at } = seen
  const { kind } = source
  const parts = panelsOf(kind).map((name) => {
    const panel = panelOf(name, kind)
    const items = name === 'events' ? panel.items(state).slice(0, SHOWN_EVENTS) : panel.items(state)
    const title = style.bold(plainLine(panel.title(state)))
    if (items.length === 0) return `${title}\n${panel.empty}\n`
    const columns = panel.columns
      .filter((column) => column.title !== '')
      .map((column) => Object.assign({}, column, { cell: (item: unknown) => column.cell(item, at) || undefined }))
    const hidden = name === 'queue' ? state.queue.total - items.length : 0
    const more = hidden > 0 ? `… and ${hidden} more\n` : ''
    return `${title}\n${table(columns, items, style)}${more}`
  })
  return [head(seen, source), ...parts].join('\n')
}

const head = ({ state, at }: Seen, { kind, url }: Pick<Source, 'kind' | 'url'>): string => {
  const { router, rates } = state
  if (kind === 'agents') return `lswap agents ${plainLine(url)}, without a router\n`
  const tokens = rates.tokensPerSecond === null ? '' : `, ${rates.tokensPerSecond} tok/s`
  return `lswap ${plainLine(router.version)} at ${plainLine(url)}${router.isClosing ? ', SHUTTING DOWN' : ''}, up ${duration(at - router.startedAt)}: ${rates.requestsPerSecond} req/s${tokens}, ${rates.swapsPerMinute} swaps/min, ${rates.wastedLoads} wasted loads\n`
}
