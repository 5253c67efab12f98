import type { Failure } from '@lswap/core'
import type { ForwardHead } from '@lswap/agent'
import type { FakeForward } from './fake-agent.ts'

export const head = (changes: Partial<ForwardHead> = {}): ForwardHead => ({
  status: 200,
  reason: 'OK',
  headers: ['Content-Type', 'application/json'],
  length: undefined,
  ...changes,
})

export const eventStream: ForwardHead = head({ headers: ['Content-Type', 'text/event-stream'] })

/** A whole JSON answer of known length. */
export const answerJson =
  (value: unknown) =>
  ({ handler }: FakeForward): void => {
    const bytes = Buffer.from(JSON.stringify(value))
    handler.onHead(
      head({
        headers: ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)],
        length: bytes.length,
      }),
    )
    handler.onData(bytes)
    handler.onEnd([])
  }

export const fail = ({ handler }: FakeForward, code: Failure['code'], answered = false): void =>
  handler.onError({ failure: { code, message: `It is ${code}.` }, answered })
