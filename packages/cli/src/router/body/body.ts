import { failureOf, type Failure } from '@lswap/core'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { bodyTooLarge, type BodyLimit } from '../request-headers.ts'
import type { RouterLimits } from '../limits.ts'
import type { BodyMemory } from './memory.ts'
import { relieve } from '../../heap/relief.ts'
import { createRest, type Rest, type RestOptions } from './rest.ts'
import { createSpill, type Spill } from './spill.ts'
import { watchStall, type StallWatch } from './stall.ts'

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

/** What a chunk costs beside its bytes: a client that sends single bytes must not make us keep a hundred times as much. */
const CHUNK_COST = 512

/**
 * A request's body on its way in: held in memory up to a bound and in a file beyond, until somebody reads it. A class whose
 * rare parts (a watch for stalls, a file, a stream) are made when they are needed: most bodies come with their head.
 */
export class RequestBody {
  private readonly options: BodyOptions
  private readonly events: BodyEvents
  private readonly chunks: Buffer[] = []
  private total = 0
  private cost = 0
  private spilled = 0
  private isLimited = false
  private isForwardable = false
  private isComplete = false
  private isOver = false
  private wasStreamed = false
  private isForgotten = false
  private isSpillRead = false
  private rest: Rest | undefined
  private spill: Spill | undefined
  private stall: StallWatch | undefined

  constructor(options: BodyOptions, events: BodyEvents) {
    this.options = options
    this.events = events
    const { req } = options
    req.on('data', (chunk: Buffer) => this.take(chunk))
    req.on('end', () => this.complete())
    // Most bodies come with their head and are complete by then: a timer for each would cost more than reading it
    process.nextTick(watch, this)
    // A connection that breaks is told by its socket; without a listener it would be an uncaught exception
    req.on('error', ignore)
  }

  /** What memory holds, as the start of one attempt. */
  held(): Uint8Array[] {
    return [...this.chunks]
  }

  /** It can be forwarded. */
  isReady(): boolean {
    return this.isForwardable
  }

  /** Bytes in all, once they are known. */
  length(): number | undefined {
    return this.options.length ?? (this.isComplete ? this.total : undefined)
  }

  /** Nothing of it was streamed through: it can be sent (again). */
  isReplayable(): boolean {
    return !this.wasStreamed
  }

  /** Nothing more must be read of it: it can be forwarded once it is whole or longer than may be held. */
  limit(): void {
    this.isLimited = true
    this.getReadyWhenFull()
  }

  /** What memory does not hold, for one attempt; undefined when it holds everything. `edit`: see {@link RestOptions}. */
  openRest(edit: RestOptions['edit']): Readable | undefined {
    this.detachRest()
    if (this.isOver || (this.isComplete && this.spill === undefined)) return undefined
    this.rest = createRest({
      req: this.options.req,
      spill: this.spill,
      isComplete: () => this.isComplete,
      edit,
      onSpillRead: () => {
        this.isSpillRead = true
        if (this.isForgotten) this.closeSpill()
      },
    })
    return this.rest.stream
  }

  /** The attempt failed: what it did not read is for the next one. */
  closeRest(): void {
    this.detachRest()
    if (!this.isComplete) this.resume()
  }

  /** It will not be sent again: gives the memory of what is held back. Idempotent. */
  forget(): void {
    this.isForgotten = true
    if (this.cost > 0) this.options.memory.give(this.cost)
    this.cost = 0
    this.chunks.length = 0
    if (this.isSpillRead) this.closeSpill()
  }

  /** Nobody needs it any more. Idempotent. */
  close(): void {
    this.isOver = true
    this.stall?.stop()
    this.detachRest()
    this.forget()
    this.closeSpill()
  }

  /** Begins to look for a stall, if it is not whole by now. */
  watch(): void {
    if (this.isComplete || this.isOver) return
    const { clock, limits, req } = this.options
    this.stall = watchStall({ clock, limitMs: limits.bodyStallMs, isPaused: () => req.isPaused() }, () =>
      this.fail({ code: 'invalid_request', message: `The body stalled for ${limits.bodyStallMs / 1000} s.` }),
    )
    this.stall.begin()
  }

  private take(chunk: Buffer): void {
    if (this.isOver) return
    this.stall?.touch()
    relieve(chunk.length)
    this.total += chunk.length
    const { most } = this.options
    if (this.total > most.bytes) this.fail(bodyTooLarge(most))
    else if (this.rest === undefined) this.hold(chunk)
    else this.stream(this.rest, chunk)
  }

  private hold(chunk: Buffer): void {
    const { length, limits, memory } = this.options
    const price = chunk.length + CHUNK_COST
    if (this.spill === undefined && this.cost < limits.heldBodyBytes && memory.take(price)) {
      this.cost += price
      this.chunks.push(chunk)
    } else this.toDisk(chunk)
    if (!this.isLimited && !this.isOver) this.events.chunk(chunk)
    if (this.isOver) return
    if (this.total === length) this.complete()
    else this.getReadyWhenFull()
  }

  private toDisk(chunk: Buffer): void {
    const { disk, req } = this.options
    if (!disk.take(chunk.length))
      return this.fail(exhausted('The bodies of waiting requests fill their memory and disk space.'))
    this.spilled += chunk.length
    try {
      this.spill ??= createSpill({ onDrain: () => this.resume(), onFailed: (error) => this.noDisk(error) })
      if (!this.spill.write(chunk)) req.pause()
    } catch (error) {
      this.noDisk(error)
    }
    return undefined
  }

  private noDisk(error: unknown): void {
    this.fail(exhausted(`The body of a waiting request can not be kept in a file: ${failureOf(error).message}.`))
  }

  private stream(to: Rest, chunk: Buffer): void {
    if (!this.wasStreamed) {
      this.forget()
      this.closeSpill()
    }
    this.wasStreamed = true
    to.push(chunk)
    if (this.total === this.options.length) this.complete()
  }

  private complete(): void {
    if (this.isComplete || this.isOver) return
    this.isComplete = true
    this.stall?.stop()
    this.rest?.end()
    this.getReady()
  }

  private getReady(): void {
    if (this.isForwardable || this.isOver) return
    this.isForwardable = true
    this.events.ready()
  }

  private getReadyWhenFull(): void {
    if (this.isLimited && (this.spill !== undefined || this.cost >= this.options.limits.heldBodyBytes)) this.getReady()
  }

  /** Reads on into the file; what an attempt wants it asks for itself. */
  private resume(): void {
    if (this.rest === undefined && !this.isOver) this.options.req.resume()
  }

  private detachRest(): void {
    this.rest?.detach()
    this.rest = undefined
    this.isSpillRead = false
  }

  private closeSpill(): void {
    if (this.spill === undefined && this.spilled === 0) return
    this.spill?.close()
    this.spill = undefined
    this.options.disk.give(this.spilled)
    this.spilled = 0
  }

  private fail(failure: Failure): void {
    if (this.isOver) return
    this.close()
    this.events.failed(failure)
  }
}

const watch = (body: RequestBody): void => body.watch()
const ignore = (): void => {}

const exhausted = (message: string): Failure => ({ code: 'resource_exhausted', message })
