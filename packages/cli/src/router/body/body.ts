import { failureOf, type Failure } from '@lswap/core'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { bodyTooLarge, type BodyLimit } from '../request-headers.ts'
import type { RouterLimits } from '../limits.ts'
import type { BodyMemory } from './memory.ts'
import { createRest, type Rest, type RestOptions } from './rest.ts'
import { createSpill, type Spill } from './spill.ts'
import { watchStall } from './stall.ts'

export interface BodyOptions {
  readonly req: IncomingMessage
  /** Bytes in all when announced. */
  readonly length: number | undefined
  /** How large it may be. */
  readonly most: BodyLimit
  readonly memory: BodyMemory
  /** What may lie in files. */
  readonly disk: BodyMemory
  readonly limits: RouterLimits
  readonly clock: Clock
}

export interface BodyEvents {
  /** A chunk was held. Not called any more once {@link RequestBody.limit} was. */
  chunk(chunk: Buffer): void
  /** It is complete, or longer than memory may hold: it can be forwarded. Once, maybe inside `chunk`. */
  ready(): void
  /** It can not go on; nothing follows. */
  failed(failure: Failure): void
}

/** A request's body on its way in: held in memory up to a bound and in a file beyond, until somebody reads it. */
export interface RequestBody {
  /** What memory holds, as the start of one attempt. */
  held(): Uint8Array[]
  /** It can be forwarded. */
  isReady(): boolean
  /** Bytes in all, once they are known. */
  length(): number | undefined
  /** Nothing of it was streamed through: it can be sent (again). */
  isReplayable(): boolean
  /** Nothing more must be read of it: it can be forwarded once it is whole or longer than may be held. */
  limit(): void
  /** What memory does not hold, for one attempt; undefined when it holds everything. `edit`: see {@link RestOptions}. */
  openRest(edit: RestOptions['edit']): Readable | undefined
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
  { req, length, most, memory, disk, limits, clock }: BodyOptions,
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
  let spill: Spill | undefined
  let spilled = 0
  let isForgotten = false
  let isSpillRead = false

  const stall = watchStall({ clock, limitMs: limits.bodyStallMs, isPaused: () => req.isPaused() }, () =>
    fail({ code: 'invalid_request', message: `The body stalled for ${limits.bodyStallMs / 1000} s.` }),
  )

  const closeSpill = (): void => {
    spill?.close()
    spill = undefined
    disk.give(spilled)
    spilled = 0
  }

  const forget = (): void => {
    isForgotten = true
    memory.give(cost)
    cost = 0
    held.length = 0
    if (isSpillRead) closeSpill()
  }

  const closeRest = (): void => {
    rest?.detach()
    rest = undefined
    isSpillRead = false
  }

  const close = (): void => {
    isOver = true
    stall.stop()
    closeRest()
    forget()
    closeSpill()
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
    const price = chunk.length + CHUNK_COST
    if (spill === undefined && cost < limits.heldBodyBytes && memory.take(price)) {
      cost += price
      held.push(chunk)
    } else toDisk(chunk)
    if (!isLimited && !isOver) events.chunk(chunk)
    if (isOver) return undefined
    return total === length ? complete() : getReadyWhenFull()
  }

  const toDisk = (chunk: Buffer): void => {
    if (!disk.take(chunk.length))
      return fail(exhausted('The bodies of waiting requests fill their memory and disk space.'))
    spilled += chunk.length
    try {
      spill ??= createSpill({ onDrain: resume, onFailed: noDisk })
      if (!spill.write(chunk)) req.pause()
    } catch (error) {
      noDisk(error)
    }
    return undefined
  }

  const noDisk = (error: unknown): void =>
    fail(exhausted(`The body of a waiting request can not be kept in a file: ${failureOf(error).message}.`))

  /** Reads on into the file; what an attempt wants it asks for itself. */
  const resume = (): void => {
    if (rest === undefined && !isOver) req.resume()
  }

  const getReadyWhenFull = (): void => {
    if (isLimited && (spill !== undefined || cost >= limits.heldBodyBytes)) getReady()
  }

  const stream = (to: Rest, chunk: Buffer): void => {
    if (!wasStreamed) {
      forget()
      closeSpill()
    }
    wasStreamed = true
    to.push(chunk)
    if (total === length) complete()
  }

  const openRest: RequestBody['openRest'] = (edit) => {
    closeRest()
    if (isOver || (isComplete && spill === undefined)) return undefined
    rest = createRest({
      req,
      spill,
      isComplete: () => isComplete,
      edit,
      onSpillRead: () => {
        isSpillRead = true
        if (isForgotten) closeSpill()
      },
    })
    return rest.stream
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
  // Most bodies come with their head and are complete by then: a timer for each would cost more than reading it
  process.nextTick(() => stall.begin())
  // A connection that breaks is told by its socket; without a listener it would be an uncaught exception
  req.on('error', () => {})

  return {
    held: () => [...held],
    isReady: () => isReady,
    length: () => length ?? (isComplete ? total : undefined),
    isReplayable: () => !wasStreamed,
    limit: () => {
      isLimited = true
      getReadyWhenFull()
    },
    openRest,
    closeRest: () => {
      closeRest()
      if (!isComplete) resume()
    },
    forget,
    close,
  }
}

const exhausted = (message: string): Failure => ({ code: 'resource_exhausted', message })
