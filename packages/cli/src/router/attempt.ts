import { failureOf, type ErrorCode, type Failure } from '@lswap/core'
import type { ForwardHandler, Forwarding, ForwardHead, ForwardRequest } from '@lswap/agent'
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

export interface Attempt {
  abort(): void
  resume(): void
  /** The client's bytes, after a switch of protocols. False: no more until `onDrain`. */
  write(chunk: Buffer): boolean
  /** The client sends no more. */
  end(): void
}

/** An engine that is gone may be there again after a restart; one that was unloaded on purpose must not be. */
const MAY_RETRY: ReadonlySet<ErrorCode> = new Set(['upstream_unreachable', 'upstream_died', 'host_unreachable'])

/** Sends a request to the process of its grant. The events may come before this returns. */
export const startAttempt = (
  { agent, placement, epoch }: Grant,
  request: ForwardRequest,
  events: AttemptEvents,
): Attempt => startForward((sent, handler) => agent.forward(placement, epoch, sent, handler), request, events)

/** Sends a request on its way, whichever that is. */
export const startForward = (
  forward: (request: ForwardRequest, handler: ForwardHandler) => Forwarding,
  request: ForwardRequest,
  events: AttemptEvents,
): Attempt => {
  let forwarding: Forwarding | undefined
  let isOver = false
  let isSwitched = false

  const abort = (): void => {
    isOver = true
    forwarding?.abort()
  }

  const fail = (failure: Failure, mayRetry: boolean): void => {
    isOver = true
    events.onFailed(failure, mayRetry)
  }

  /** An answer that can not be passed on ends the attempt; thrown into the agent it would end more than that. */
  const pass = <Result>(step: () => Result, otherwise: Result): Result => {
    if (isOver) return otherwise
    try {
      return step()
    } catch (error) {
      giveUp(error)
      return otherwise
    }
  }

  const giveUp = (error: unknown): void => {
    abort()
    const { message } = failureOf(error)
    fail({ code: 'upstream_died', message: `The engine's answer can not be passed on: ${message}` }, false)
  }

  const handler: ForwardHandler = {
    onInformation: (status, headers) => pass(() => events.onInformation(status, headers), undefined),
    onUpgrade: (head) =>
      pass(() => {
        isSwitched = true
        events.onUpgrade(head)
      }, undefined),
    onDrain: () => pass(() => events.onDrain(), undefined),
    onHead: (head) => pass(() => events.onHead(head), undefined),
    // `pass` written out: it would make a function for each chunk of each stream
    onData: (chunk) => {
      if (isOver) return true
      try {
        return events.onData(chunk)
      } catch (error) {
        giveUp(error)
        return true
      }
    },
    onEnd: (trailers) =>
      pass(() => {
        isOver = !isSwitched
        events.onEnd(trailers)
      }, undefined),
    onError: ({ failure, answered }) => {
      if (!isOver) fail(failure, !answered && MAY_RETRY.has(failure.code))
    },
  }

  forwarding = forward(request, handler)
  // Aborted from within `forward`, before there was something to abort
  if (isOver) forwarding.abort()
  return {
    abort,
    resume: () => forwarding.resume(),
    write: (chunk) => isOver || forwarding.write(chunk),
    end: () => forwarding.end(),
  }
}
