import type { AgentFeedEvent } from '@lswap/core/protocol'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EventLog } from './event-log.ts'

/** A reader that is further behind than this reads everything anew. */
const MOST_BEHIND_BYTES = 4 * 1024 * 1024

export interface EventStreams {
  /** Tells them all something that is not kept. */
  sample(event: AgentFeedEvent): void
  readonly size: number
  open(req: IncomingMessage, res: ServerResponse, query: URLSearchParams): void
  /** Ends them all. */
  close(): void
}

const send = (res: ServerResponse, event: AgentFeedEvent): void => {
  if (res.writableEnded) return
  if (res.writableLength > MOST_BEHIND_BYTES) res.destroy()
  else res.write(`${JSON.stringify(event)}\n`)
}

/** `GET /v1/events?start=…&after=N`: goes on after that number of that start, and then as things happen. */
export const createEventStreams = (events: EventLog, start: string): EventStreams => {
  const open = new Set<ServerResponse>()

  return {
    get size() {
      return open.size
    },
    sample: (event) => {
      for (const res of open) send(res, event)
    },
    open: (_req, res, query) => {
      const asked = query.get('after')
      const isOurs = query.get('start') === start
      const from = isOurs && asked !== null && /^\d{1,15}$/.test(asked) ? Number(asked) : undefined
      const { events: missed, isGap } = from === undefined ? { events: [], isGap: true } : events.after(from)
      res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
      send(res, { type: 'hello', start, number: isGap ? events.last() : (from ?? 0), isGap })
      for (const event of missed) send(res, event)
      const leave = events.listen((event) => send(res, event))
      open.add(res)
      res.once('close', () => {
        leave()
        open.delete(res)
      })
    },
    close: () => {
      for (const res of open) res.end()
    },
  }
}
