import type { FeedState } from './entities.ts'
import type { FeedEvent } from './event.ts'
import { keys } from './keys.ts'
import { patched } from './patch.ts'

/** The state after an event; undefined until the first snapshot. Pure: the same events give the same state. */
export const fold = (state: FeedState | undefined, event: FeedEvent): FeedState | undefined => {
  if (event.type === 'snapshot') return event.state
  if (state === undefined) return undefined
  switch (event.type) {
    case 'router-changed':
      return { ...state, router: event.router }
    case 'rates-changed':
      return { ...state, rates: event.rates }
    case 'hosts-changed':
      return { ...state, hosts: patched(state.hosts, event, keys.hosts) }
    case 'models-changed':
      return { ...state, models: patched(state.models, event, keys.models) }
    case 'running-changed':
      return { ...state, running: patched(state.running, event, keys.running) }
    case 'requests-ended':
      return { ...state, ended: patched(state.ended, event, keys.ended) }
    case 'swaps-changed':
      return { ...state, swaps: patched(state.swaps, event, keys.swaps) }
    case 'noticed':
      return { ...state, notices: patched(state.notices, event, keys.notices) }
    case 'waiting-changed':
      return { ...state, queue: event.queue, waiting: waitingAfter(state.waiting, event) }
    default:
      return event satisfies never
  }
}

const waitingAfter = (
  before: FeedState['waiting'],
  event: Extract<FeedEvent, { type: 'waiting-changed' }>,
): FeedState['waiting'] => {
  const waiting = patched(before, event, keys.waiting)
  if (event.order === null) return waiting
  return waiting.map((one, at) => Object.assign({}, one, { position: event.positions[at] ?? one.position }))
}
