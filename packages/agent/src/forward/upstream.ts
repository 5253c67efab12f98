import type { Failure } from '@lswap/core'
import { Connection } from './connection.ts'
import type { Forwarding, ForwardHandler, ForwardRequest } from './exchange.ts'
import { createIdleConnections } from './idle-connections.ts'
import { createTarget } from './request-head.ts'
import { RunningForward } from './running-forward.ts'
import { RunningList } from './running-list.ts'
import type { Lane } from './running-forward.ts'
import { systemTimers } from './timers.ts'
import type { ForwardTimers } from './timers.ts'

export interface UpstreamOptions {
  readonly host: string
  readonly port: number
  /** Speaks TLS, and trusts what Node trusts. Default: plain HTTP. */
  readonly tls?: boolean
  /** Certificates that are trusted instead of those, in PEM. */
  readonly ca?: string
  /** Put before every path. */
  readonly basePath?: string
  /** How long an unused connection is kept, in milliseconds; llama-server closes them after 5 s. Default 4000. */
  readonly idleMs?: number
  /** How long the engine may take to accept a connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number
  /** How long the first byte of an answer may take once the request is sent, in milliseconds. Default: no limit. */
  readonly responseHeaderMs?: number
  /** Silence after which TCP asks whether the engine is there, in milliseconds; 0: never. Default 30000. */
  readonly keepAliveMs?: number
  /** Raw name, value, … that every request gets; they replace what the client sent under these names. */
  readonly extraHeaders?: readonly string[]
  readonly timers?: ForwardTimers
}

/** The way to one engine process: its connections, and every request that runs on them. */
export interface Upstream {
  /**
   * Sends a request. Its handler is told as `ForwardHandler` says, and never before this returns.
   *
   * Without `responseHeaderMs` there is no deadline for the answer: a generation may take many minutes before its first byte. Who waits ends it
   * with `abort()`, the owner of the process with `close()`, and a host that vanished is found by TCP keep-alive.
   */
  forward(request: ForwardRequest, handler: ForwardHandler): Forwarding
  /** Requests that run, without those that are passive. */
  active(): number
  /** Ends those whose end nobody waits for, with this failure. */
  cutPassive(failure: Failure): void
  /** Resolves as soon as no request runs that is not passive. */
  drained(): Promise<void>
  /**
   * Ends every running request with this failure, closes every socket at once and refuses new requests with the same
   * failure. Idempotent: the first failure stays.
   */
  close(failure: Failure): void
}

/**
 * A small HTTP/1.1 client for the forwarding path, one per engine process. It does what a general client can not know to
 * do: it never reuses a connection after a chunked answer (llama-server closes it without a word), and it repeats a
 * request once, unseen, when a connection that lay idle turns out to be closed.
 */
export const createUpstream = (options: UpstreamOptions): Upstream => {
  const { host, port, idleMs = 4000, connectTimeoutMs = 5000, timers = systemTimers } = options
  const { keepAliveMs, responseHeaderMs, tls = false, ca } = options
  const idle = createIdleConnections({ idleMs, timers })
  const running = new RunningList<RunningForward>()
  const passive = new Set<RunningForward>()
  let waiting: (() => void)[] = []
  let closed: Failure | undefined

  const lane: Lane = {
    target: createTarget(options),
    takeIdle: () => idle.take(),
    connect: () => new Connection({ host, port, tls, ca, connectTimeoutMs, keepAliveMs, timers }),
    afterSilence: responseHeaderMs === undefined ? undefined : (tell) => timers.after(responseHeaderMs, tell),
    release: (connection) => {
      connection.reused = true
      idle.put(connection)
    },
    onOver: (over) => {
      passive.delete(over)
      if (!running.delete(over) || running.size > 0) return
      for (const resolve of waiting) resolve()
      waiting = []
    },
  }

  return {
    forward: (request, handler) => {
      const forward = new RunningForward(lane, request, handler)
      if (closed === undefined) {
        ;(forward.passive ? passive : running).add(forward)
        forward.start(request)
      } else {
        const failure = closed
        process.nextTick(() => forward.fail(failure))
      }
      return forward
    },
    active: () => running.size,
    cutPassive: (failure) => passive.forEach((forward) => forward.fail(failure)),
    drained: () => {
      if (running.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        waiting.push(resolve)
      })
    },
    close: (failure) => {
      if (closed !== undefined) return
      closed = failure
      for (const forward of [...running.all(), ...passive]) forward.fail(failure)
      idle.clear()
    },
  }
}
