import { modelId } from '@lswap/core'
import type { OpenStreams } from '../answer/streams.ts'
import type { Call } from '../call.ts'
import type { Feed } from '../feed/feed.ts'

export interface EventsOptions {
  readonly feed: Feed
  readonly streams: OpenStreams
}

/** Server-sent events: everything that can be seen, then what changes. `Last-Event-ID` goes on where a reader was. */
export const serveEvents = async ({ feed, streams }: EventsOptions, call: Call): Promise<void> => {
  const { rights, req } = call
  const lastId = req.headers['last-event-id']
  let isGone = false
  let leave = (): void => {
    isGone = true
  }
  const contentType = 'text/event-stream; charset=utf-8'
  const stream = streams.open(call, { contentType, onLeave: () => leave() })
  if (stream === undefined) return
  const leaveFeed = await feed.open({
    mayUse: rights.isRestricted ? (model) => rights.mayUse(modelId(model)) : undefined,
    lastId: typeof lastId === 'string' ? lastId : undefined,
    send: (bytes) => stream.send(bytes),
    end: () => stream.end(),
  })
  if (isGone) leaveFeed()
  else leave = leaveFeed
}
