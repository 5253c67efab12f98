import type { FeedEvent } from '@lswap/core/protocol'

/** An event as it goes over the wire, the same bytes for every reader. */
export interface SentEvent {
  readonly number: number
  readonly bytes: Buffer
}

/** The latest events, for readers that come back. */
export interface EventRing {
  push(event: SentEvent): void
  /** All after `number`; undefined: some of them are forgotten. */
  since(number: number): readonly SentEvent[] | undefined
}

/** More than what a reader misses in the seconds that a reconnect takes; beyond it a snapshot is shorter. */
const KEPT_BYTES = 1024 * 1024

export const createEventRing = (keptBytes: number = KEPT_BYTES): EventRing => {
  const events: SentEvent[] = []
  let size = 0
  let last = 0
  return {
    push: (event) => {
      events.push(event)
      last = event.number
      size += event.bytes.length
      while (size > keptBytes) size -= events.shift()?.bytes.length ?? size
    },
    since: (number) => {
      if (number > last) return undefined
      const first = events[0]?.number ?? last + 1
      return number + 1 < first ? undefined : events.filter((event) => event.number > number)
    },
  }
}

/** `start` tells the numbers of one router's life from those of another's. */
export const encodeEvent = (event: FeedEvent, number: number, start: string): Buffer =>
  Buffer.from(`id: ${start}-${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)

/** The number that a reader of the same router saw last. */
export const numberIn = (lastId: string | undefined, start: string): number | undefined => {
  const [, id, number] = /^([0-9a-z]{1,32})-(\d{1,15})$/.exec(lastId ?? '') ?? []
  return id === start ? Number(number) : undefined
}
