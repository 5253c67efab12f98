import { feedEventSchema, fold, type FeedState } from '@lswap/core/protocol'
import { createEventParser } from './sse.ts'
import type { RouterClient } from './router-client.ts'

/** What a router shows at one moment, and that moment on its clock. */
export interface Seen {
  readonly state: FeedState
  readonly at: number
}

/** Everything that can be seen of the router, anew after each change, until its end or the signal's. Events of a newer router that this one does not know are passed over. `onWord`: something came, be it a heartbeat. */
export async function* watch(
  router: RouterClient,
  signal: AbortSignal,
  onWord?: () => void,
): AsyncGenerator<Seen, void> {
  const events = createEventParser()
  let state: FeedState | undefined
  for await (const text of router.stream({ path: '/api/events', accept: 'text/event-stream', signal })) {
    onWord?.()
    for (const { data } of events(text)) {
      const event = feedEventSchema.safeParse(parse(data))
      if (!event.success) continue
      state = fold(state, event.data)
      if (state !== undefined) yield { state, at: event.data.at }
    }
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
