import { failureOf, type ErrorCode, type Failure } from '@lswap/core'
import type { ForwardFailure, ForwardHandler, Forwarding, ForwardHead, ForwardRequest } from '@lswap/agent'
import type { Grant } from './loop.ts'

/** Told of one attempt: `onHead`, `onData` …, then exactly one of `onEnd` and `onFailed`; nothing after `abort()`. */
export interface AttemptEvents {
  onInformation(status: number, headers: readonly string[]): void
  /** 101: bytes from here on. `onEnd` then only says that the engine sends no more. */
  onUpgrade(head: ForwardHead): void
  /** The engine takes more again. */
  onDrain(): void
  onHead(head: ForwardHead): void
  /** False: no more until `resume()`. */
  onData(chunk: Buffer): boolean
  onEnd(trailers: readonly string[]): void
  /** `mayRetry`: nothing of an answer came, and the cause is one that another process may not have. */
  onFailed(failure: Failure, mayRetry: boolean): void
}

/** Where a request goes. */
export interface Destination {
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
}

/** An engine that is gone may be there again after a restart; one that was unloaded on purpose must not be. */
const MAY_RETRY: ReadonlySet<ErrorCode> = new Set([
  'upstream_unreachable',
  'upstream_died',
  'host_unreachable',
  'fenced',
])

/** The process of a grant. */
export class GrantedProcess implements Destination {
  private readonly grant: Grant

  constructor(grant: Grant) {
    this.grant = grant
  }

  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding {
    const { agent, placement, epoch } = this.grant
    return agent.forward(placement, epoch, request, handler)
  }
}

/**
 * A request on its way, wherever that leads. An answer that can not be passed on ends the attempt; thrown into the agent it
 * would end more than that. One object with methods: of closures a request would need eight, see `RequestBody` for what such cost.
 */
export class Attempt implements ForwardHandler {
  private forwarding: Forwarding | undefined
  private isOver = false
  private isSwitched = false
  private readonly events: AttemptEvents

  constructor(events: AttemptEvents) {
    this.events = events
  }

  /** The events may come before this returns. */
  start(destination: Destination, request: ForwardRequest): void {
    this.forwarding = destination.forward(request, this)
    // Aborted from within `forward`, before there was something to abort
    if (this.isOver) this.forwarding.abort()
  }

  abort(): void {
    this.isOver = true
    this.forwarding?.abort()
  }

  resume(): void {
    this.forwarding?.resume()
  }

  /** The client's bytes, after a switch of protocols. False: no more until `onDrain`. */
  write(chunk: Buffer): boolean {
    return this.isOver || (this.forwarding?.write(chunk) ?? true)
  }

  /** The client sends no more. */
  end(): void {
    this.forwarding?.end()
  }

  onInformation(status: number, headers: readonly string[]): void {
    if (this.isOver) return
    try {
      this.events.onInformation(status, headers)
    } catch (error) {
      this.giveUp(error)
    }
  }

  onUpgrade(head: ForwardHead): void {
    if (this.isOver) return
    this.isSwitched = true
    try {
      this.events.onUpgrade(head)
    } catch (error) {
      this.giveUp(error)
    }
  }

  onDrain(): void {
    if (this.isOver) return
    try {
      this.events.onDrain()
    } catch (error) {
      this.giveUp(error)
    }
  }

  onHead(head: ForwardHead): void {
    if (this.isOver) return
    try {
      this.events.onHead(head)
    } catch (error) {
      this.giveUp(error)
    }
  }

  onData(chunk: Buffer): boolean {
    if (this.isOver) return true
    try {
      return this.events.onData(chunk)
    } catch (error) {
      this.giveUp(error)
      return true
    }
  }

  onEnd(trailers: readonly string[]): void {
    if (this.isOver) return
    this.isOver = !this.isSwitched
    try {
      this.events.onEnd(trailers)
    } catch (error) {
      this.giveUp(error)
    }
  }

  onError({ failure, answered }: ForwardFailure): void {
    if (!this.isOver) this.fail(failure, !answered && MAY_RETRY.has(failure.code))
  }

  private giveUp(error: unknown): void {
    this.abort()
    const { message } = failureOf(error)
    this.fail({ code: 'upstream_died', message: `The engine's answer can not be passed on: ${message}` }, false)
  }

  private fail(failure: Failure, mayRetry: boolean): void {
    this.isOver = true
    this.events.onFailed(failure, mayRetry)
  }
}
