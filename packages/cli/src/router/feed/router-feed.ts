import type { FeedState, RatesState } from '@lswap/core/protocol'
import { hostId, type HostId, type ModelConfig } from '@lswap/core'
import type { Agent, ProcessView } from '@lswap/agent'
import type { CallFacts } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { LoopObserver } from '../loop/observer.ts'
import type { RunLoop } from '../loop.ts'
import { PLAIN_HOSTS, type HostFacts } from '../fleet/hosts.ts'
import { askMeasured, NOTHING_MEASURED } from '../fleet/measured.ts'
import { askProcesses } from '../fleet/processes.ts'
import { createFeed, type Feed } from './feed.ts'
import { look } from './look.ts'
import type { Notices } from './notices.ts'
import { createRate } from './rate.ts'
import { createSwapBook } from './swap-book.ts'
import { createTokenRates } from './token-rates.ts'
import { createWaits } from './waits.ts'
import { createWastedLoads } from './wasted-loads.ts'

export interface RouterFeedOptions {
  readonly agents: ReadonlyMap<HostId, Agent>
  readonly clock: Clock
  readonly log: Log
  readonly notices: Notices
  /** Asked for when somebody looks: the loop tells `observer` and is made after it. */
  readonly loop: () => Pick<RunLoop, 'view' | 'queue' | 'stats' | 'records'>
  readonly models: () => readonly ModelConfig[]
  /** Absent: nothing is known of them. */
  readonly hosts?: HostFacts
  readonly router: () => FeedState['router']
}

/** The feed of a router, and who tells it what. */
export interface RouterFeed {
  readonly feed: Feed
  readonly observer: LoopObserver
  /** A request for a model ended; `tokens` of its facts, if any, are read. */
  readonly countRequest: (facts: Pick<CallFacts, 'model' | 'tokens'>) => void
}

const REQUEST_WINDOW_S = 10
const SWAP_WINDOW_S = 60

export const createRouterFeed = (options: RouterFeedOptions): RouterFeed => {
  const { agents, clock, log, notices, loop, models, hosts = PLAIN_HOSTS, router } = options
  const requests = createRate(clock, REQUEST_WINDOW_S)
  const swapRate = createRate(clock, SWAP_WINDOW_S)
  const swaps = createSwapBook(clock)
  const waits = createWaits()
  const tokens = createTokenRates(clock)
  const wasted = createWastedLoads()
  let processes: ReadonlyMap<string, readonly ProcessView[]> = new Map()
  let measured = NOTHING_MEASURED

  const rates = (): RatesState => ({
    requestsPerSecond: tenths(requests.perSecond()),
    tokensPerSecond: tokens.perSecond(),
    swapsPerMinute: tenths(swapRate.perSecond() * 60),
    wastedLoads: wasted.count(),
  })

  const feed = createFeed({
    clock,
    // Two routers do not start in the same millisecond at one address
    start: Math.round(clock.now()).toString(36),
    look: (before) =>
      look(
        {
          clock,
          loop: loop(),
          models,
          hosts,
          router,
          swaps,
          waits,
          tokens,
          rates,
          notices: () => notices.latest(),
          processes: () => processes,
          measured: () => measured,
        },
        before,
      ),
    refresh: async () => {
      const [seen, fresh] = await Promise.all([askProcesses({ agents, clock }), askMeasured({ agents, clock })])
      processes = seen
      // What a host told last stays, and is shown as old
      measured = new Map([...measured, ...fresh].filter(([host]) => agents.has(hostId(host))))
    },
    onBug: (error) => log.error({ err: error }, 'bug: nobody can look at the router'),
  })
  notices.listen(feed.changed)

  return {
    feed,
    observer: {
      changed: feed.changed,
      granted: ({ request, receivedAt, grantedAt, placement }) => {
        waits.add(request.model, (grantedAt ?? receivedAt) - receivedAt)
        if (placement !== undefined) wasted.granted(placement)
      },
      swapStarted: (swap) => swaps.started(swap),
      swapProgressed: (swap, progress) => {
        swaps.progressed(swap, progress)
        feed.changed()
      },
      swapEnded: (swap, result) => {
        swaps.ended(swap, result)
        swapRate.count()
        wasted.swapEnded(swap, result)
        feed.moved()
      },
      stopEnded: (outcomes) => {
        wasted.stopEnded(outcomes)
        feed.moved()
      },
    },
    countRequest: ({ model, tokens: told }) => {
      requests.count()
      const completion = told?.().completion
      if (model !== undefined && completion !== undefined) tokens.add(model, completion)
    },
  }
}

const tenths = (value: number): number => Math.round(value * 10) / 10
