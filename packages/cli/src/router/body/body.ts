import type { Failure } from '@lswap/core'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { bodyTooLarge, type BodyLimit } from '../request-headers.ts'
import type { RouterLimits } from '../limits.ts'
import type { BodyMemory } from './memory.ts'
import { createRest, type Rest } from './rest.ts'
import { watchStall } from './stall.ts'

export interface BodyOptions {
  readonly req: IncomingMessage
  /** Bytes in all when announced. */
  readonly length: number | undefined
  /** How large it may be. */
  readonly most: BodyLimit
  readonly memory: BodyMemory
  readonly limits: RouterLimits
  readonly clock: Clock
}

export interface BodyEvents {
  /** A chunk was held. Not called any more once {@link RequestBody.limit} was. */
  chunk(chunk: Buffer): void
  /** It is complete, or as much is held as may be: it can be forwarded. Once, maybe inside `chunk`. */
  ready(): void
  /** It can not go on; nothing follows. */
  failed(failure: Failure): void
}

/** A request's body on its way in: held up to a bound, the rest left with the client until somebody reads it. */
export interface RequestBody {
  /** What was read so far, as the start of one attempt. */
  held(): Uint8Array[]
  /** It can be forwarded. */
  isReady(): boolean
  /** Bytes in all, once they are known. */
  length(): number | undefined
  /** Nothing of it was streamed through: it can be sent (again). */
  isReplayable(): boolean
  /** From now on hold no more than `heldBodyBytes`. */
  limit(): void
  /** What is not held, for one attempt; undefined when everything is. */
  openRest(): Readable | undefined
  /** The attempt failed: what it did not read is for the next one. */
  closeRest(): void
  /** It will not be sent again: gives the memory of what is held back. Idempotent. */
  forget(): void
  /** Nobody needs it any more. Idempotent. */
  close(): void
}

/** What a chunk costs beside its bytes: a client that sends single bytes must not make us keep a hundred times as much. */
const CHUNK_COST = 512

export const readBody = (
  { req, length, most, memory, limits, clock }: BodyOptions,
  events: BodyEvents,
): RequestBody => {
  const held: Buffer[] = []
  let total = 0
  let cost = 0
  let isLimited = false
  let isReady = false
  let isComplete = false
  let isOver = false
  let rest: Rest | undefined
  let wasStreamed = false

  const stall = watchStall({ clock, limitMs: limits.bodyStallMs, isPaused: () => req.isPaused() }, () =>
    fail({ code: 'invalid_request', message: `The body stalled for ${limits.bodyStallMs / 1000} s.` }),
  )

  const forget = (): void => {
    memory.give(cost)
    cost = 0
    held.length = 0
  }

  const closeRest = (): void => {
    rest?.detach()
    rest = undefined
  }

  const close = (): void => {
    isOver = true
    stall.stop()
    closeRest()
    forget()
  }

  const fail = (failure: Failure): void => {
    if (isOver) return
    close()
    events.failed(failure)
  }

  const getReady = (): void => {
    if (isReady || isOver) return
    isReady = true
    events.ready()
  }

  const complete = (): void => {
    if (isComplete || isOver) return
    isComplete = true
    stall.stop()
    rest?.end()
    getReady()
  }

  const hold = (chunk: Buffer): void => {
    if (!memory.take(chunk.length + CHUNK_COST)) {
      return fail({ code: 'resource_exhausted', message: 'The bodies of waiting requests fill their memory.' })
    }
    cost += chunk.length + CHUNK_COST
    held.push(chunk)
    if (!isLimited) events.chunk(chunk)
    if (isOver) return undefined
    if (total === length) return complete()
    return pauseWhenFull()
  }

  const pauseWhenFull = (): void => {
    if (!isLimited || cost < limits.heldBodyBytes || isComplete || isOver) return
    req.pause()
    getReady()
  }

  const stream = (to: Rest, chunk: Buffer): void => {
    if (!wasStreamed) forget()
    wasStreamed = true
    to.push(chunk)
    if (total === length) complete()
  }

  req.on('data', (chunk: Buffer) => {
    if (isOver) return
    stall.touch()
    total += chunk.length
    if (total > most.bytes) fail(bodyTooLarge(most))
    else if (rest === undefined) hold(chunk)
    else stream(rest, chunk)
  })
  req.on('end', complete)
  // A connection that breaks is told by its socket; without a listener it would be an uncaught exception
  req.on('error', () => {})

  return {
    held: () => [...held],
    isReady: () => isReady,
    length: () => length ?? (isComplete ? total : undefined),
    isReplayable: () => !wasStreamed,
    limit: () => {
      isLimited = true
      pauseWhenFull()
    },
    openRest: () => {
      closeRest()
      if (!isComplete && !isOver) rest = createRest(req)
      return rest?.stream
    },
    closeRest,
    forget,
    close,
  }
}
