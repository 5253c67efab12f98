import type { FeedState, RatesState } from '@lswap/core/protocol'
import { BANDS, type ModelConfig } from '@lswap/core'
import type { ProcessView } from '@lswap/agent'
import type { Clock } from '../clock.ts'
import type { RunLoop } from '../loop.ts'
import { PLAIN_HOSTS, type HostFacts } from '../fleet/hosts.ts'
import { NOTHING_MEASURED, type Measured } from '../fleet/measured.ts'
import { hostStates } from './host-states.ts'
import { shownModels } from '../own/shown-models.ts'
import { modelStates } from './model-states.ts'
import { endedState, runningState, waitingState } from './request-states.ts'
import { steady } from './steady.ts'
import type { SwapBook } from './swap-book.ts'
import type { TokenRates } from './token-rates.ts'
import type { Waits } from './waits.ts'

/** More rows than a screen has, and a bound on what one look costs. */
const SHOWN_REQUESTS = 500
const SHOWN_ENDED = 100

export interface LookSources {
  readonly clock: Pick<Clock, 'now'>
  readonly loop: Pick<RunLoop, 'view' | 'queue' | 'stats' | 'records'>
  readonly models: () => readonly ModelConfig[]
  readonly hosts?: HostFacts
  readonly router: () => FeedState['router']
  readonly swaps: SwapBook
  readonly waits: Waits
  readonly tokens: TokenRates
  readonly rates: () => RatesState
  readonly notices: () => FeedState['notices']
  /** What the agents said last. */
  readonly processes: () => ReadonlyMap<string, readonly ProcessView[]>
  readonly measured?: () => Measured
}

/** Everything that can be seen now. `before`: what was told last, which stays where it is still about right. */
export const look = (sources: LookSources, before: FeedState | undefined): FeedState => {
  const { clock, loop, swaps, tokens, waits } = sources
  const now = clock.now()
  const view = loop.view()
  const measured = sources.measured?.() ?? NOTHING_MEASURED
  const { bands } = loop.stats()
  const models = shownModels(sources.models(), view)
  const expectedLoadMs = (model: string, host: string): number | null => {
    const placement = view.models.get(model)?.placements.find((one) => one.placement.host === host)
    return placement?.expectedLoadMs === undefined ? null : Math.round(placement.expectedLoadMs)
  }
  const seen: FeedState = {
    router: sources.router(),
    hosts: hostStates({ view, facts: sources.hosts ?? PLAIN_HOSTS, measured, now }),
    models: modelStates({ models, view, processes: sources.processes(), measured, tokens, waits }),
    queue: {
      total: BANDS.reduce((sum, band) => sum + bands[band].depth, 0),
      bands: BANDS.map((band) => ({ band, depth: bands[band].depth, dispatched: bands[band].dispatched })),
    },
    waiting: loop.queue(SHOWN_REQUESTS).map((entry) => waitingState(entry, now)),
    running: loop.records.running().slice(0, SHOWN_REQUESTS).map(runningState),
    ended: loop.records.ended(SHOWN_ENDED).map(endedState),
    swaps: swaps.all((swap) => expectedLoadMs(swap.model, swap.host)),
    rates: sources.rates(),
    notices: sources.notices(),
  }
  return before === undefined ? seen : steady(before, seen, now)
}
