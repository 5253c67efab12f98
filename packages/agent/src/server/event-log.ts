import type { AgentFeedEvent } from '@lswap/core/protocol'

type Numbered = Extract<AgentFeedEvent, { number: number; at: number }>
type WithoutNumber<Event> = Event extends Numbered ? Omit<Event, 'number' | 'at'> : never
/** Something that happened. */
export type Happening = WithoutNumber<Numbered>

/** What happened lately, numbered from 1. */
export interface EventLog {
  add(event: Happening): void
  last(): number
  /** What came after this number; `isGap`: some of it is forgotten, or the number is from another start. */
  after(number: number): { readonly events: readonly Numbered[]; readonly isGap: boolean }
  listen(listener: (event: Numbered) => void): () => void
}

/** Hours of swaps; a reader that was away longer reads everything anew. */
const KEPT = 1_024

export const createEventLog = (wallClock: () => number = Date.now, kept = KEPT): EventLog => {
  const listeners = new Set<(event: Numbered) => void>()
  let events: Numbered[] = []
  let last = 0
  return {
    add: (happening) => {
      last += 1
      const event: Numbered = { ...happening, number: last, at: wallClock() }
      events.push(event)
      if (events.length >= 2 * kept) events = events.slice(-kept)
      for (const listener of listeners) listener(event)
    },
    last: () => last,
    after: (number) => {
      const oldest = events[0]?.number ?? last + 1
      if (number > last || number < oldest - 1) return { events: [], isGap: true }
      return { events: events.slice(number - oldest + 1), isGap: false }
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
