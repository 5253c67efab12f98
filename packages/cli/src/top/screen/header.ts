import type { FeedState } from '@lswap/core/protocol'
import type { Row } from '../cells/row.ts'
import { segmentRow, type Segment } from '../cells/segments.ts'
import { duration } from '../../print/units.ts'
import { plainLine } from '../../print/plain.ts'
import { routerNow, type Ui } from '../state/ui.ts'

/** The router at a glance. */
export const headerRow = (ui: Ui, { columns, ownNow }: { readonly columns: number; readonly ownNow: number }): Row => {
  const { seen } = ui
  const link = linkSegment(ui, ownNow)
  const name: Segment = { text: 'lswap', tone: 'title', priority: 0 }
  const address: Segment = { text: plainLine(ui.url), priority: 4 }
  if (seen === undefined) return segmentRow([name, address, link], columns)
  if (ui.kind === 'agents')
    return segmentRow([name, { ...address, text: `agents ${address.text}` }, link, ...agents(seen.state)], columns)
  const { router, rates } = seen.state
  const tokens = rates.tokensPerSecond === null ? '-' : String(rates.tokensPerSecond)
  return segmentRow(
    [
      name,
      address,
      link,
      { text: `up ${duration(routerNow(ui, ownNow) - router.startedAt)}`, priority: 5 },
      { text: `${rates.requestsPerSecond} req/s`, priority: 1 },
      { text: `${tokens} tok/s`, priority: 2 },
      { text: `${rates.swapsPerMinute} swaps/min`, priority: 3 },
      { text: `${rates.wastedLoads} wasted loads`, priority: 6 },
    ],
    columns,
  )
}

const agents = ({ hosts, models }: FeedState): readonly Segment[] => {
  const ready = models.flatMap(({ placements }) => placements).filter(({ state }) => state === 'ready').length
  const down = hosts.filter(({ up }) => !up).length
  return [
    { text: `${ready} ready`, priority: 1 },
    { text: down === 0 ? '' : `${down} DOWN`, tone: 'bad', priority: 2 },
    { text: 'no router in between', priority: 5 },
  ]
}

const linkSegment = ({ link, seen }: Ui, ownNow: number): Segment => {
  if (link.type === 'lost') return { text: `STALE ${duration(ownNow - link.since)}`, tone: 'bad', priority: 0 }
  if (seen === undefined) return { text: 'connecting', tone: 'busy', priority: 0 }
  return seen.state.router.isClosing
    ? { text: 'SHUTTING DOWN', tone: 'bad', priority: 0 }
    : { text: 'live', tone: 'good', priority: 0 }
}
