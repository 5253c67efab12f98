import type { ServerResponse } from 'node:http'
import { once } from 'node:events'

const COMMON: readonly [string, string][] = [
  ['Server', 'llama.cpp'],
  ['Access-Control-Allow-Origin', ''],
]

const KEEP_ALIVE = 'timeout=5, max=100'

function head(response: ServerResponse, headers: readonly (readonly [string, string])[]): void {
  response.sendDate = false
  for (const [name, value] of [...COMMON, ...headers]) response.setHeader(name, value)
}

/** A complete answer. Like the real engine it keeps the connection only after 200. */
export function sendText(
  response: ServerResponse,
  answer: { readonly status: number; readonly type: string; readonly body: string },
): void {
  if (response.destroyed) return
  const bytes = Buffer.from(answer.body)
  head(response, [
    ['Content-Type', answer.type],
    ['Content-Length', String(bytes.length)],
  ])
  const keep = answer.status === 200 && response.shouldKeepAlive
  response.shouldKeepAlive = keep
  if (keep) {
    response.removeHeader('Connection')
    response.setHeader('Keep-Alive', KEEP_ALIVE)
  } else {
    response.setHeader('Connection', 'close')
  }
  response.statusCode = answer.status
  response.end(bytes)
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  sendText(response, { status, type: 'application/json; charset=utf-8', body: JSON.stringify(value) })
}

export interface EngineError {
  readonly code: number
  readonly type: string
  readonly message: string
  readonly [detail: string]: unknown
}

export function sendError(response: ServerResponse, error: EngineError): void {
  sendJson(response, { error }, error.code)
}

/** An answer whose length is not known yet. Nothing is sent before the first event, so that an error can still be one. */
export interface EventStream {
  /** One server-sent event; false when the client is gone. */
  send(data: string, event?: string): Promise<boolean>
  /** Sends a ping and closes the connection in the middle of the answer. */
  breakOff(): void
  end(): void
}

export function openStream(response: ServerResponse, splitBytes: number | undefined): EventStream {
  head(response, [
    ['X-Accel-Buffering', 'no'],
    ['Content-Type', 'text/event-stream'],
    ['Transfer-Encoding', 'chunked'],
    ['Keep-Alive', KEEP_ALIVE],
  ])
  // The real engine promises to keep the connection and closes it after every chunked answer.
  response.removeHeader('Connection')
  response.shouldKeepAlive = false
  response.socket?.setNoDelay(true)

  async function write(bytes: Buffer): Promise<boolean> {
    if (response.destroyed) return false
    if (!response.write(bytes)) await drained(response)
    return !response.destroyed
  }

  return {
    async send(data, event) {
      const bytes = Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`)
      if (splitBytes === undefined) return write(bytes)
      for (let from = 0; from < bytes.length; from += splitBytes) {
        if (!(await write(bytes.subarray(from, from + splitBytes)))) return false
        // Parts written in one turn would leave in one packet, and no edge would fall between them.
        await new Promise<void>((resolve) => void setImmediate(resolve))
      }
      return true
    },
    breakOff() {
      if (response.headersSent) response.write(':\n\n', () => response.socket?.end())
      else response.destroy()
    },
    end() {
      response.end()
    },
  }
}

async function drained(response: ServerResponse): Promise<void> {
  const left = new AbortController()
  const close = (): void => left.abort()
  response.once('close', close)
  try {
    await once(response, 'drain', { signal: left.signal })
  } catch {
    // closed before it drained
  } finally {
    response.off('close', close)
  }
}
