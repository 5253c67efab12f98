import type { Failure } from '@lswap/core'
import type { Readable } from 'node:stream'

/** A request on its way to an engine. */
export interface ForwardRequest {
  readonly method: string
  /** Path and query as the engine should see them. */
  readonly path: string
  /** Raw name, value, name, value …; hop-by-hop and framing headers are replaced by the forwarder. */
  readonly headers: readonly string[]
  readonly body: ForwardBody
}

export interface ForwardBody {
  /** Bytes in all, when the client said so; undefined: chunked, unless there is no body at all. */
  readonly length: number | undefined
  /** What was read already. */
  readonly held: readonly Uint8Array[]
  /** What is still to come, paused; undefined: `held` is everything, and the request can be sent again. */
  readonly rest: Readable | undefined
}

export interface ForwardHead {
  readonly status: number
  readonly reason: string
  /** Raw name, value, …, without hop-by-hop headers. */
  readonly headers: readonly string[]
  /** Bytes of the body when announced; undefined: chunked, or until the engine closes. */
  readonly length: number | undefined
}

/** An attempt that failed. */
export interface ForwardFailure {
  readonly failure: Failure
  /** Whether a byte of the engine's answer had come: then it can not be tried again unnoticed. */
  readonly answered: boolean
}

/** Told of one attempt, in this order: `onHead`, `onData` …, then exactly one of `onEnd` and `onError`. Nothing after `abort()`. */
export interface ForwardHandler {
  /** 1xx answers other than 101. */
  onInformation?(status: number, headers: readonly string[]): void
  onHead(head: ForwardHead): void
  /** The chunk may be kept. False: no more until `resume()`. */
  onData(chunk: Buffer): boolean
  onEnd(trailers: readonly string[]): void
  onError(failure: ForwardFailure): void
}

export interface Forwarding {
  /** The client is gone: the engine's socket is closed at once and the handler hears nothing more. Idempotent. */
  abort(): void
  resume(): void
}
