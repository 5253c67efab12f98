import type { SimulationResult, WaitSummary } from '@lswap/core'
import type { Style } from '../../print/style.ts'
import { type Column, table } from '../../print/table.ts'
import { duration } from '../../print/units.ts'

/** What came of one scheduler. */
export interface Played {
  readonly policy: string
  readonly result: SimulationResult
}

/** One table of the schedulers, and one of the waits in each band. */
export const reportOf = (played: readonly Played[], style: Style): string =>
  `${table(TOTALS, played, style)}\n${table(WAITS, played.flatMap(bandsOf), style)}`

const TOTALS: readonly Column<Played>[] = [
  { title: 'POLICY', cell: ({ policy }) => policy },
  { title: 'SERVED', cell: ({ result }) => String(result.served), align: 'right' },
  { title: 'CUT', cell: ({ result }) => String(result.cut), align: 'right' },
  { title: 'REFUSED', cell: ({ result }) => String(result.requests - result.served), align: 'right' },
  { title: 'SWAPS', cell: ({ result }) => String(result.swaps), align: 'right' },
  { title: 'WASTED', cell: ({ result }) => String(result.wastedLoads), align: 'right' },
  { title: 'MAKESPAN', cell: ({ result }) => duration(result.makespanMs), align: 'right' },
  { title: 'IDLE', cell: ({ result }) => duration(result.idleMs), align: 'right' },
  { title: 'FAIR', cell: ({ result }) => result.jainFairness.toFixed(2), align: 'right' },
]

interface BandRow {
  readonly policy: string
  readonly band: string
  readonly waits: WaitSummary
}

const bandsOf = ({ policy, result }: Played): BandRow[] =>
  Object.entries(result.waits).map(([band, waits]) => ({ policy, band, waits }))

const time = (title: string, of: (waits: WaitSummary) => number | undefined): Column<BandRow> => ({
  title,
  cell: ({ waits }) => {
    const ms = of(waits)
    return ms === undefined ? undefined : duration(ms)
  },
  align: 'right',
})

const WAITS: readonly Column<BandRow>[] = [
  { title: 'POLICY', cell: ({ policy }) => policy },
  { title: 'BAND', cell: ({ band }) => band },
  { title: 'COUNT', cell: ({ waits }) => String(waits.count), align: 'right' },
  time('P50', ({ p50Ms }) => p50Ms),
  time('P95', ({ p95Ms }) => p95Ms),
  time('P99', ({ p99Ms }) => p99Ms),
  time('MAX', ({ maxMs }) => maxMs),
]
