import type { FeedState } from '@lswap/core/protocol'
import { feedState } from '@lswap/core/test-support'

export const emptyState = feedState()

export const modelIn = (model: string, state: string, inFlight = 0): FeedState['models'][number] => ({
  model,
  name: null,
  aliases: [`${model}-alias`],
  state,
  pinned: false,
  waiting: 0,
  waitP95Ms: null,
  placements: [
    {
      host: 'local',
      state,
      since: 1_000,
      slots: 1,
      inFlight,
      idleAt: null,
      untilAt: null,
      pid: null,
      memoryBytes: null,
      expectedLoadMs: null,
      failure: null,
    },
  ],
})

export const swapOf = (
  model: string,
  changes: Partial<FeedState['swaps'][number]> = {},
): FeedState['swaps'][number] => ({
  generation: 1,
  model,
  host: 'local',
  evict: [],
  startedAt: 1_000,
  phase: 'loading',
  fraction: null,
  expectedLoadMs: null,
  loadingAt: null,
  endedAt: null,
  result: null,
  failure: null,
  ...changes,
})

export const sentEvent = (event: { readonly type: string }): string =>
  `id: x-1\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
