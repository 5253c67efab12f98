import type { FeedState } from '../../src/protocol/index.ts'

/** What a router tells at which nothing is and nothing happens. */
export const feedState = (changes: Partial<FeedState> = {}): FeedState => ({
  router: { version: '1', startedAt: 0, isClosing: false },
  hosts: [],
  models: [],
  queue: { total: 0, bands: [] },
  waiting: [],
  running: [],
  ended: [],
  swaps: [],
  rates: { requestsPerSecond: 0, tokensPerSecond: null, swapsPerMinute: 0, wastedLoads: 0 },
  notices: [],
  ...changes,
})
