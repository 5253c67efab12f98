import type { Failure } from '@lswap/core'
import type { Call } from '../call.ts'

/** An answer of our own without an end: events, or a log that is followed. */
export interface Stream {
  /** A reader that is too far behind is cut instead: what waits for it has a bound. Nothing after its end. */
  send(bytes: Buffer | string): void
  /** No more waits than its connection takes well. */
  isIdle(): boolean
  /** Resolves when it is idle, or over. */
  idle(): Promise<void>
  end(): void
}

export interface OpenStreams {
  /** Undefined: it was answered already. `onLeave` is called once, at whichever end. */
  open(call: Call, answer: { readonly contentType: string; readonly onLeave: () => void }): Stream | undefined
  /** Ends all, and refuses those that still come. Idempotent. */
  close(): void
}

export interface StreamsOptions {
  readonly fail: (call: Call, failure: Failure) => void
  readonly maxStreams?: number
  readonly maxWaitingBytes?: number
}

/** Dashboards and followed logs of a team; each costs a connection and what waits for it. */
const MAX_STREAMS = 64
/** Some seconds of events of a busy router. The first piece, a snapshot, may be larger. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024

const FULL: Failure = {
  code: 'resource_exhausted',
  message: `${MAX_STREAMS} streams of events and logs are open already.`,
  hint: 'Close some; GET /api/queue and /running tell the same at one moment.',
}
const CLOSING: Failure = { code: 'shutting_down', message: 'lswap is shutting down.' }

export const createStreams = (options: StreamsOptions): OpenStreams => {
  const { fail, maxStreams = MAX_STREAMS, maxWaitingBytes = MAX_WAITING_BYTES } = options
  const open = new Set<Stream>()
  let isClosed = false

  const begin = (call: Call, onLeave: () => void): Stream => {
    const { res } = call
    const waiters = new Set<() => void>()
    const wake = (): void => {
      for (const waiter of waiters) waiter()
      waiters.clear()
    }
    const leave = (): void => {
      if (open.delete(stream)) onLeave()
      wake()
    }
    const stream: Stream = {
      send: (bytes) => {
        if (!open.has(stream)) return
        const waiting = res.writableLength
        if (waiting > 0 && waiting + bytes.length > maxWaitingBytes) {
          leave()
          call.reset()
        } else res.write(bytes)
      },
      isIdle: () => !res.writableNeedDrain,
      idle: () =>
        new Promise((resolve) => {
          if (!open.has(stream) || stream.isIdle()) return resolve()
          waiters.add(resolve)
          return undefined
        }),
      end: () => {
        leave()
        res.end()
      },
    }
    open.add(stream)
    res.on('drain', wake)
    call.follow({ gone: leave, cut: () => stream.end() })
    return stream
  }

  return {
    open: (call, { contentType, onLeave }) => {
      const refusal = isClosed ? CLOSING : open.size >= maxStreams ? FULL : undefined
      if (refusal !== undefined) {
        fail(call, refusal)
        return undefined
      }
      call.res.writeHead(200, {
        'Content-Type': contentType,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Accel-Buffering': 'no',
      })
      if (call.method === 'HEAD') {
        call.res.end()
        return undefined
      }
      call.res.flushHeaders()
      return begin(call, onLeave)
    },
    close: () => {
      isClosed = true
      for (const stream of open) stream.end()
    },
  }
}
