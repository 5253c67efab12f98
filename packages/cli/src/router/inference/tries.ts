import type { ForwardHead } from '@lswap/agent'
import { MAX_ATTEMPTS, type Failure } from '@lswap/core'
import type { Answer } from '../answer/answer.ts'
import { passInformation } from '../answer/information.ts'
import { answerHeaders, ownHeaders } from '../answer/own-headers.ts'
import { Attempt, type AttemptEvents, type Destination } from '../attempt.ts'
import type { RequestBody } from '../body/body.ts'
import type { Edit } from '../body/splice.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import { forwardRequest } from '../forward-request.ts'
import type { InferenceRoute } from '../inference-route.ts'
import type { RouterLimits } from '../limits.ts'
import type { RunLoop } from '../loop.ts'
import { openTunnel, type ClientTunnel } from '../upgrade/tunnel.ts'
import { Meter } from '../usage/metered.ts'

export interface TriesOptions {
  readonly call: Call
  readonly route: InferenceRoute
  readonly answer: Answer
  readonly body: RequestBody
  readonly loop: Pick<RunLoop, 'answered' | 'timelineOf'>
  readonly clock: Clock
  readonly limits: RouterLimits
}

/** What is sent in place of what came. */
interface Sent {
  readonly edits: readonly Edit[]
  /** Undefined: as it came, without what was for lswap. */
  readonly path: string | undefined
}

export interface TriesEvents {
  /** The engine says something. */
  heard(): void
  ended(): void
  /** An attempt failed. `mayRepeat`: another one could end better, and the body is still there. */
  tried(failure: Failure, mayRepeat: boolean): void
}

/**
 * The attempts to have a request served, one at a time, and how what comes back of them reaches the client: as an HTTP answer,
 * and after a 101 as bytes. It is told of each attempt itself: an attempt that is over tells nothing.
 */
export class Tries implements AttemptEvents {
  private readonly options: TriesOptions
  private readonly events: TriesEvents
  private attempt: Attempt | undefined
  private meter: Meter | undefined
  private tunnel: ClientTunnel | undefined
  private begunAt = 0

  constructor(options: TriesOptions, events: TriesEvents) {
    this.options = options
    this.events = events
  }

  forward(destination: Destination, { edits, path }: Sent): void {
    const { body, call, clock, route } = this.options
    const { facts } = call
    this.begunAt = clock.now()
    facts.attempts = (facts.attempts ?? 0) + 1
    this.meter = new Meter(this.options)
    const attempt = new Attempt(this)
    // Before it is begun: it may have failed already when `start` returns, and the next one be under way
    this.attempt = attempt
    attempt.start(
      destination,
      forwardRequest(call, body, {
        edits,
        path: path ?? call.target.slice(route.cut),
        isPassive: route.passive === true,
      }),
    )
  }

  isUnderWay(): boolean {
    return this.attempt !== undefined
  }

  /** The client takes more again. */
  resume(): void {
    this.attempt?.resume()
  }

  /** Nothing of it is wanted any more. */
  stop(): void {
    this.attempt?.abort()
    this.attempt = undefined
  }

  /** Tells the client of a failure, if it can still be told. */
  refuse(failure: Failure): void {
    const { answer, call } = this.options
    if (this.tunnel === undefined) answer.fail(failure, ownHeaders(call))
    else call.reset()
  }

  onInformation(status: number, headers: readonly string[]): void {
    passInformation(this.options.call.res, { status, headers })
  }

  onUpgrade(head: ForwardHead): void {
    const { call, clock, limits } = this.options
    if (call.upgraded === undefined) return
    const own = this.begun()
    call.isSwitched = true
    this.tunnel = openTunnel(
      { upgraded: call.upgraded, clock, halfClosedMs: limits.halfClosedMs },
      { of: head, own },
      {
        onData: (chunk) => this.attempt?.write(chunk) ?? true,
        onEnd: () => this.attempt?.end(),
        onOver: (isWhole) => {
          // The client's last bytes may still be on their way to the engine, and the agent sees to them
          if (isWhole) this.attempt = undefined
          this.events.ended()
        },
      },
    )
  }

  onDrain(): void {
    this.tunnel?.resume()
  }

  onHead(head: ForwardHead): void {
    this.meter?.begin(head)
    this.options.answer.open(head, this.begun())
  }

  onData(chunk: Buffer): boolean {
    this.meter?.add(chunk)
    this.events.heard()
    return (this.tunnel ?? this.options.answer).write(chunk)
  }

  onEnd(trailers: readonly string[]): void {
    if (this.tunnel !== undefined) return this.tunnel.end()
    this.attempt = undefined
    this.options.answer.end(trailers)
    return this.events.ended()
  }

  onFailed(failure: Failure, mayRetry: boolean): void {
    const { body, call } = this.options
    this.attempt = undefined
    body.closeRest()
    this.events.tried(failure, mayRetry && call.facts.attempts !== MAX_ATTEMPTS && body.isReplayable())
  }

  /** The engine begins to answer. Returns what the head says of lswap. */
  private begun(): readonly string[] {
    const { body, call, clock, loop } = this.options
    body.forget()
    loop.answered(call.id)
    const timeline = (call.facts.waitMs ?? 0) > 0 ? loop.timelineOf(call.id) : undefined
    return answerHeaders(call, { upstreamMs: clock.now() - this.begunAt, timeline })
  }
}
