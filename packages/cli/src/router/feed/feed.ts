import { changesOf, visibleState, type FeedEvent, type FeedState } from '@lswap/core/protocol'
import type { Clock } from '../clock.ts'
import { createEventRing, encodeEvent, numberIn, type SentEvent } from './event-ring.ts'

/** Where events go. */
export interface FeedReader {
  /** What it may see; undefined: everything. */
  readonly mayUse: ((model: string) => boolean) | undefined
  /** The id of the event that it saw last. */
  readonly lastId: string | undefined
  send(bytes: Buffer): void
  end(): void
}

export interface FeedOptions {
  readonly clock: Clock
  /** Tells one life of the router from the next. */
  readonly start: string
  readonly look: (before: FeedState | undefined) => FeedState
  /** Asks for what has to be asked for; must not hang. */
  readonly refresh: () => Promise<void>
  /** A look threw: every reader is cut, and the router goes on. */
  readonly onBug: (error: unknown) => void
}

/** Tells readers what changes. While nobody reads it does nothing at all. */
export interface Feed {
  /** Something that is shown may have changed. */
  readonly changed: () => void
  /** What has to be asked for may be different now. */
  readonly moved: () => void
  /** Resolves once the reader has its snapshot, or what it missed; the function takes it off again. */
  open(reader: FeedReader): Promise<() => void>
  /** Tells every reader that it ends. Idempotent. */
  close(): void
}

/** At most four looks a second, so that a busy router tells its latest state and not its every step. */
const LOOK_MS = 250
/** A look takes at most this share of the time. */
const LOOK_SHARE = 0.05
/** What nobody tells of (memory, rates that fall) is looked for. */
const REFRESH_MS = 2_000
/** Proxies in front cut connections that say nothing for a minute. */
const HEARTBEAT_MS = 15_000
const HEARTBEAT = Buffer.from(': still here\n\n')

export const createFeed = ({ clock, start, look, refresh, onBug }: FeedOptions): Feed => {
  const readers = new Set<FeedReader>()
  const ring = createEventRing()
  const timers: Partial<Record<'look' | 'refresh' | 'heartbeat', () => void>> = {}
  let told: FeedState | undefined
  let number = 0
  let nextLookAt = 0
  let isClosed = false

  const arm = (name: keyof typeof timers, at: number, act: () => void): void => {
    timers[name] ??= clock.setTimer(at, () => {
      delete timers[name]
      act()
    })
  }

  const rest = (): void => {
    for (const name of ['look', 'refresh', 'heartbeat'] as const) {
      timers[name]?.()
      delete timers[name]
    }
  }

  /** What is to be seen now; whoever reads already is told first, so that all have the same. */
  const publish = (): FeedState => {
    const began = clock.now()
    const before = told
    const after = look(before)
    told = after
    const at = Math.round(began)
    const events = before === undefined ? [] : changesOf(before, after, at)
    const sent = events.map((event) => numbered(event))
    for (const event of sent) ring.push(event)
    if (before !== undefined && sent.length > 0) for (const reader of readers) tell(reader, { sent, before, after, at })
    nextLookAt = clock.now() + Math.max(LOOK_MS, (clock.now() - began) / LOOK_SHARE)
    return after
  }

  const numbered = (event: FeedEvent): SentEvent => {
    number += 1
    return { number, bytes: encodeEvent(event, number, start) }
  }

  interface Change {
    readonly sent: readonly SentEvent[]
    readonly before: FeedState
    readonly after: FeedState
    readonly at: number
  }

  const tell = (reader: FeedReader, { sent, before, after, at }: Change): void => {
    const { mayUse } = reader
    const own =
      mayUse === undefined
        ? sent.map(({ bytes }) => bytes)
        : changesOf(visibleState(before, mayUse), visibleState(after, mayUse), at).map((event) =>
            encodeEvent(event, number, start),
          )
    for (const bytes of own) reader.send(bytes)
  }

  const publishLater = (): void => {
    try {
      publish()
    } catch (error) {
      endAll()
      onBug(error)
    }
  }

  const endAll = (): void => {
    rest()
    for (const reader of readers) reader.end()
    readers.clear()
  }

  const greet = (reader: FeedReader): void => {
    const state = publish()
    const seen = reader.mayUse === undefined ? numberIn(reader.lastId, start) : undefined
    const missed = seen === undefined ? undefined : ring.since(seen)
    if (missed !== undefined) return missed.forEach(({ bytes }) => reader.send(bytes))
    const shown = reader.mayUse === undefined ? state : visibleState(state, reader.mayUse)
    return reader.send(encodeEvent({ type: 'snapshot', at: Math.round(clock.now()), state: shown }, number, start))
  }

  const beat = (): void => {
    for (const reader of readers) reader.send(HEARTBEAT)
    arm('heartbeat', clock.now() + HEARTBEAT_MS, beat)
  }

  const lookAgain = (inMs: number): void => {
    arm('refresh', clock.now() + inMs, () => {
      void refreshed()
    })
  }

  const refreshed = async (): Promise<void> => {
    await refresh()
    if (readers.size === 0 || isClosed) return
    feed.changed()
    lookAgain(REFRESH_MS)
  }

  const feed: Feed = {
    changed: () => {
      if (readers.size > 0) arm('look', Math.max(clock.now(), nextLookAt), publishLater)
    },
    moved: () => {
      if (readers.size === 0) return
      timers.refresh?.()
      delete timers.refresh
      lookAgain(0)
    },
    open: async (reader) => {
      if (readers.size === 0) await refresh()
      if (isClosed) {
        reader.end()
        return () => {}
      }
      greet(reader)
      readers.add(reader)
      arm('heartbeat', clock.now() + HEARTBEAT_MS, beat)
      lookAgain(REFRESH_MS)
      return () => {
        readers.delete(reader)
        if (readers.size === 0) rest()
      }
    },
    close: () => {
      if (isClosed) return
      isClosed = true
      if (readers.size > 0) publishLater()
      endAll()
    },
  }
  return feed
}
