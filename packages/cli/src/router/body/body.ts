import type { Failure } from '@lswap/core'
import type { Readable } from 'node:stream'
import type { Clock } from '../clock.ts'
import { bodyTooLarge, type BodyLimit } from '../request-headers.ts'
import type { RouterLimits } from '../limits.ts'
import type { ClientRequest } from '../messages.ts'
import type { BodyMemory } from './memory.ts'
import { relieve } from '../../heap/relief.ts'
import { BodyFile, NO_ROOM, noFile } from './file.ts'
import { createRest, type Rest, type RestOptions } from './rest.ts'
import { bodyStalled, watchStall, type StallWatch } from './stall.ts'

export interface BodyOptions {
  readonly req: ClientRequest
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
 * rare parts (a file, a stream) are made when they are needed: most bodies come with their head. With six such
 * objects a request where there were some eighty functions, and short answers as one write, 181 µs became 119 (docs/performance.md).
 */
export class RequestBody {
  private readonly options: BodyOptions
  private readonly events: BodyEvents
  private readonly chunks: Buffer[] = []
  private total = 0
  private cost = 0
  private isLimited = false
  private isForwardable = false
  private isComplete = false
  private isOver = false
  private wasStreamed = false
  private isForgotten = false
  private rest: Rest | undefined
  private file: BodyFile | undefined
  private readonly stall: StallWatch

  constructor(options: BodyOptions, events: BodyEvents) {
    this.options = options
    this.events = events
    const { clock, limits, req } = options
    this.stall = watchStall({ clock, limitMs: limits.bodyStallMs, isPaused: () => req.isPaused() }, () =>
      this.fail(bodyStalled(limits.bodyStallMs)),
    )
    req.on('data', (chunk: Buffer) => this.take(chunk))
    req.on('end', () => this.complete())
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
    if (this.isOver || (this.isComplete && !this.isInFile())) return undefined
    const { clock, req } = this.options
    this.rest = createRest({
      client: { pause: () => req.pause(), resume: () => this.readClient(), isPaused: () => req.isPaused() },
      file: this.ownFile(),
      clock,
      isComplete: () => this.isComplete,
      isForgotten: () => this.isForgotten,
      edit,
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
    this.rest?.dropRead()
  }

  /** Nobody needs it any more. Idempotent. */
  close(): void {
    this.isOver = true
    this.stall.stop()
    this.detachRest()
    this.forget()
    this.file?.close()
  }

  private take(chunk: Buffer): void {
    if (this.isOver) return
    this.stall.touch()
    relieve(chunk.length)
    this.total += chunk.length
    const { most } = this.options
    if (this.total > most.bytes) this.fail(bodyTooLarge(most))
    else if (this.rest === undefined) this.hold(chunk)
    else this.pass(this.rest, chunk)
  }

  private hold(chunk: Buffer): void {
    const { length, limits, memory } = this.options
    const price = chunk.length + CHUNK_COST
    if (!this.isInFile() && this.cost < limits.heldBodyBytes && memory.take(price)) {
      this.cost += price
      this.chunks.push(chunk)
    } else this.toDisk(chunk)
    if (!this.isLimited && !this.isOver) this.events.chunk(chunk)
    if (this.isOver) return
    if (this.total === length) this.complete()
    else this.getReadyWhenFull()
  }

  private toDisk(chunk: Buffer): void {
    const file = this.ownFile()
    if (!file.reserve(chunk.length)) return this.fail(NO_ROOM)
    try {
      if (!file.write(chunk)) this.options.req.pause()
    } catch (error) {
      this.fail(noFile(error))
    }
    return undefined
  }

  private pass(to: Rest, chunk: Buffer): void {
    if (to.isReadingOn()) to.keep(chunk)
    else {
      // What comes behind the first is not kept for another attempt
      if (!this.wasStreamed) this.forget()
      this.wasStreamed = true
      to.push(chunk)
    }
    if (this.total === this.options.length) this.complete()
  }

  private complete(): void {
    if (this.isComplete || this.isOver) return
    this.isComplete = true
    this.stall.stop()
    this.rest?.end()
    this.getReady()
  }

  private getReady(): void {
    if (this.isForwardable || this.isOver) return
    this.isForwardable = true
    this.events.ready()
  }

  private getReadyWhenFull(): void {
    if (this.isLimited && (this.isInFile() || this.cost >= this.options.limits.heldBodyBytes)) this.getReady()
  }

  /** Reads on into the file; what an attempt wants it asks for itself. */
  private resume(): void {
    if (this.rest !== undefined) this.rest.drained()
    else if (!this.isOver) this.readClient()
  }

  private readClient(): void {
    // It was not the client who was silent until now
    this.stall.touch()
    this.options.req.resume()
  }

  private detachRest(): void {
    this.rest?.detach()
    this.rest = undefined
  }

  private isInFile(): boolean {
    return this.file?.isOpen() === true
  }

  private ownFile(): BodyFile {
    return (this.file ??= new BodyFile(this.options.disk, {
      onDrain: () => this.resume(),
      onFailed: (error) => this.fail(noFile(error)),
    }))
  }

  private fail(failure: Failure): void {
    if (this.isOver) return
    this.close()
    this.events.failed(failure)
  }
}

const ignore = (): void => {}
