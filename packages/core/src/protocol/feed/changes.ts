import type { FeedState, WaitingState } from './entities.ts'
import type { FeedEvent } from './event.ts'
import { keys } from './keys.ts'
import { isSameData, patchOf } from './patch.ts'

/** The events that lead from one state to another, none when both say the same. */
export const changesOf = (before: FeedState, after: FeedState, at: number): FeedEvent[] => {
  const events: FeedEvent[] = []
  if (!isSameData(before.router, after.router)) events.push({ type: 'router-changed', at, router: after.router })
  const hosts = patchOf(before.hosts, after.hosts, { keyOf: keys.hosts })
  if (hosts !== undefined) events.push({ type: 'hosts-changed', at, ...hosts })
  const models = patchOf(before.models, after.models, { keyOf: keys.models })
  if (models !== undefined) events.push({ type: 'models-changed', at, ...models })
  const swaps = patchOf(before.swaps, after.swaps, { keyOf: keys.swaps })
  if (swaps !== undefined) events.push({ type: 'swaps-changed', at, ...swaps })
  const waiting = waitingChange(before, after, at)
  if (waiting !== undefined) events.push(waiting)
  const running = patchOf(before.running, after.running, { keyOf: keys.running })
  if (running !== undefined) events.push({ type: 'running-changed', at, ...running })
  const ended = patchOf(before.ended, after.ended, { keyOf: keys.ended })
  if (ended !== undefined) events.push({ type: 'requests-ended', at, ...ended })
  const notices = patchOf(before.notices, after.notices, { keyOf: keys.notices })
  if (notices !== undefined) events.push({ type: 'noticed', at, ...notices })
  if (!isSameData(before.rates, after.rates)) events.push({ type: 'rates-changed', at, rates: after.rates })
  return events
}

/** Places are told by numbers, not by every request that moved up. */
const waitingChange = (before: FeedState, after: FeedState, at: number): FeedEvent | undefined => {
  const patch = patchOf(before.waiting, after.waiting, {
    keyOf: keys.waiting,
    isSame: (a, b) => isSameData({ ...a, position: 0 }, { ...b, position: 0 }),
  })
  const isMoved = patch?.order != null || places(before.waiting) !== places(after.waiting)
  if (patch === undefined && !isMoved && isSameData(before.queue, after.queue)) return undefined
  return {
    type: 'waiting-changed',
    at,
    set: patch?.set ?? [],
    order: isMoved ? after.waiting.map(keys.waiting) : null,
    positions: isMoved ? after.waiting.map(({ position }) => position) : [],
    queue: after.queue,
  }
}

const places = (waiting: readonly WaitingState[]): string => waiting.map(({ position }) => position).join()
