import type { ServerResponse } from 'node:http'
import type { FeedState } from '@lswap/core/protocol'
import type { Test } from 'tap'
import { sentEvent } from '../../progress/feed-state.ts'
import { json, routerDouble, type Reply, type RouterDouble } from '../../router-double.ts'
import { NOW } from '../support/states.ts'

export interface FeedDouble extends RouterDouble {
  /** Shows another state to who is there and who comes. */
  readonly show: (state: FeedState) => void
}

/** A router whose every number a test decides. */
export const feedDouble = async (
  t: Test,
  start: FeedState,
  replies: Readonly<Record<string, Reply>> = {},
): Promise<FeedDouble> => {
  const readers = new Set<ServerResponse>()
  let state = start
  const snapshot = (): string => {
    const event = { type: 'snapshot', at: NOW, state }
    return sentEvent(event)
  }
  const router = await routerDouble({
    'GET /api/events': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(snapshot())
      readers.add(response)
    },
    'GET /api/version': json(200, { version: '1' }),
    ...replies,
  })
  t.teardown(() => router.close())
  return {
    ...router,
    show: (next) => {
      state = next
      for (const reader of readers) reader.write(snapshot())
    },
  }
}
