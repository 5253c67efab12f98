import type { ForwardRequest } from '@lswap/agent'
import { MAX_ATTEMPTS, type Failure } from '@lswap/core'
import type { Answer } from '../answer/answer.ts'
import { answerHeaders } from '../answer/own-headers.ts'
import type { Attempt, AttemptEvents } from '../attempt.ts'
import type { RequestBody } from '../body/body.ts'
import type { Edit } from '../body/splice.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import { forwardRequest } from '../forward-request.ts'
import type { InferenceRoute } from '../inference-route.ts'
import type { RouterLimits } from '../limits.ts'
import type { RunLoop } from '../loop.ts'
import { metered } from '../usage/metered.ts'
import { createReply } from './reply.ts'

/** Begins one attempt, wherever it goes. */
export type Send = (request: ForwardRequest, events: AttemptEvents) => Attempt

/** The attempts to have a request served, one at a time, and what comes back of them. */
export interface Tries {
  forward(send: Send, edits: readonly Edit[]): void
  isUnderWay(): boolean
  /** The client takes more again. */
  resume(): void
  /** Nothing of it is wanted any more. */
  stop(): void
  /** Tells the client of a failure, if it can still be told. */
  refuse(failure: Failure): void
}

export interface TriesOptions {
  readonly call: Call
  readonly route: InferenceRoute
  readonly answer: Answer
  readonly body: RequestBody
  readonly loop: Pick<RunLoop, 'answered' | 'timelineOf'>
  readonly clock: Clock
  readonly limits: RouterLimits
}

export interface TriesEvents {
  /** The engine says something. */
  readonly heard: () => void
  readonly ended: () => void
  /** `mayRepeat`: another attempt could end better, and the body is still there. */
  readonly failed: (failure: Failure, mayRepeat: boolean) => void
}

export const createTries = (
  { call, route, answer, body, loop, clock, limits }: TriesOptions,
  { heard, ended, failed }: TriesEvents,
): Tries => {
  const { id, facts } = call
  const isPassive = route.passive === true
  let attempt: Attempt | undefined

  const reply = createReply(
    { call, answer, clock, halfClosedMs: limits.halfClosedMs },
    {
      attempt: () => attempt,
      heard,
      over: (isWhole) => {
        // The client's last bytes may still be on their way to the engine, and the agent sees to them
        if (isWhole) attempt = undefined
        ended()
      },
    },
  )

  const forward = (send: Send, edits: readonly Edit[]): void => {
    const grantedAt = clock.now()
    facts.attempts = (facts.attempts ?? 0) + 1
    let isOver = false
    const over = (): void => {
      isOver = true
      attempt = undefined
    }
    const events = reply.events({
      begun: () => {
        body.forget()
        loop.answered(id)
        const timeline = (facts.waitMs ?? 0) > 0 ? loop.timelineOf(id) : undefined
        return answerHeaders(call, { upstreamMs: clock.now() - grantedAt, timeline })
      },
      ended: (trailers) => {
        over()
        answer.end(trailers)
        ended()
      },
      failed: (failure, mayRetry) => {
        over()
        body.closeRest()
        failed(failure, mayRetry && facts.attempts !== MAX_ATTEMPTS && body.isReplayable())
      },
    })
    const request = forwardRequest(call, body, { edits, cut: route.cut, isPassive })
    const started = send(request, metered(events, { call, route, clock }))
    // It may have failed already, and the next one be under way
    if (!isOver) attempt = started
  }

  return {
    forward,
    isUnderWay: () => attempt !== undefined,
    resume: () => attempt?.resume(),
    stop: () => {
      attempt?.abort()
      attempt = undefined
    },
    refuse: reply.fail,
  }
}
