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
  /** Asks to switch protocols: its `Upgrade` fields go along, and only then may the engine answer 101. */
  readonly upgrade?: boolean
  /** Nobody waits for its end: it is cut as soon as its process is to stop. */
  readonly passive?: boolean
}

export interface ForwardBody {
  /** Bytes in all, when the client said so; undefined: chunked, unless there is no body at all. */
  readonly length: number | undefined
  /** What was read already. */
  readonly held: readonly Uint8Array[]
  /**
   * What is still to come, paused; undefined: `held` is everything, and the request can be sent again. When the engine
   * answers before it has read all, or the exchange ends early, the rest stays here unread and paused: its owner drains
   * it or closes the client's connection.
   */
  readonly rest: Readable | undefined
}

export interface ForwardHead {
  readonly status: number
  readonly reason: string
  /**
   * Raw name, value, …, without hop-by-hop headers, `Transfer-Encoding` and `Trailer`. `Content-Length` stays as the
   * engine sent it, also in answers to HEAD and in 304, where it speaks of a body that does not follow.
   */
  readonly headers: readonly string[]
  /** Bytes of the body that follow; undefined: chunked, or until the engine closes. */
  readonly length: number | undefined
  /** No body follows whatever the headers say: an answer to HEAD, 204, 304. `onEnd` comes next. */
  readonly bodyless?: boolean
}

/** An attempt that failed. */
export interface ForwardFailure {
  readonly failure: Failure
  /** Whether a byte of the engine's answer had come: then it can not be tried again unnoticed. */
  readonly answered: boolean
}

/**
 * Told of one attempt, in this order: `onInformation` …, `onHead`, `onData` …, then `onEnd`; or `onError` at any point
 * instead. Never from inside `forward()`, and nothing after `abort()`.
 */
export interface ForwardHandler {
  /**
   * The engine switched protocols (101, with all its fields). From here on there are bytes: the engine's come by `onData` and end with
   * `onEnd`, the client's go by `write` and `end`; each way ends by itself, and the exchange with the second one.
   */
  onUpgrade?(head: ForwardHead): void
  /** The engine takes more again after `write` said no. */
  onDrain?(): void
  /** 1xx answers other than 101. */
  onInformation?(status: number, headers: readonly string[]): void
  onHead(head: ForwardHead): void
  /**
   * One call for each chunk of the engine, or for the part of it that has come. The chunk may be kept. False: no more
   * until `resume()`; only `onEnd` may still follow at once, when that was all.
   */
  onData(chunk: Buffer): boolean
  /** Raw name, value, …: the trailers that may be passed on; they were not announced in a `Trailer` header. */
  onEnd(trailers: readonly string[]): void
  onError(failure: ForwardFailure): void
}

export interface Forwarding {
  /** The client is gone: the engine's socket is closed at once and the handler hears nothing more. Idempotent. */
  abort(): void
  resume(): void
  /** The client's bytes, once the engine has switched protocols. False: no more until `onDrain`. */
  write(chunk: Uint8Array): boolean
  /** The client sends no more; what the engine still sends comes. */
  end(): void
}
