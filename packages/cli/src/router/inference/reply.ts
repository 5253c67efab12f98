import type { Failure } from '@lswap/core'
import type { Answer } from '../answer/answer.ts'
import { passInformation } from '../answer/information.ts'
import { ownHeaders } from '../answer/own-headers.ts'
import type { Attempt, AttemptEvents } from '../attempt.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import { openTunnel, type ClientTunnel } from '../upgrade/tunnel.ts'

/** How what an engine says reaches the client: as an HTTP answer, and after its 101 as bytes. */
export interface Reply {
  /** What to do with what comes of one attempt. */
  readonly events: (turns: Turns) => AttemptEvents
  /** It ends without an answer of an engine, or in the middle of one. */
  readonly fail: (failure: Failure) => void
}

/** The turns that an attempt takes. */
export interface Turns {
  /** The engine begins to answer: what is said of lswap in the head. */
  readonly begun: () => readonly string[]
  readonly ended: (trailers: readonly string[]) => void
  readonly failed: (failure: Failure, mayRetry: boolean) => void
}

export interface ReplyOptions {
  readonly call: Call
  readonly answer: Answer
  readonly clock: Clock
  readonly halfClosedMs: number
}

export interface ReplyEvents {
  /** The attempt that takes the client's bytes after a 101. */
  readonly attempt: () => Attempt | undefined
  /** The engine says something. */
  readonly heard: () => void
  /** The connection after a 101 has ended. `isWhole`: on both sides. */
  readonly over: (isWhole: boolean) => void
}

export const createReply = (
  { call, answer, clock, halfClosedMs }: ReplyOptions,
  { attempt, heard, over }: ReplyEvents,
): Reply => {
  let tunnel: ClientTunnel | undefined
  return {
    events: ({ begun, ended, failed }) => ({
      onInformation: (status, headers) => passInformation(call.res, { status, headers }),
      onUpgrade: (head) => {
        if (call.upgraded === undefined) return
        const own = begun()
        call.isSwitched = true
        tunnel = openTunnel(
          { upgraded: call.upgraded, clock, halfClosedMs },
          { of: head, own },
          { onData: (chunk) => attempt()?.write(chunk) ?? true, onEnd: () => attempt()?.end(), onOver: over },
        )
      },
      onDrain: () => tunnel?.resume(),
      onHead: (head) => answer.open(head, begun()),
      onData: (chunk) => {
        heard()
        return (tunnel ?? answer).write(chunk)
      },
      onEnd: (trailers) => (tunnel === undefined ? ended(trailers) : tunnel.end()),
      onFailed: failed,
    }),
    fail: (failure) => {
      if (tunnel === undefined) answer.fail(failure, ownHeaders(call))
      else call.reset()
    },
  }
}
