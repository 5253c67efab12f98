import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface Answer {
  /** Undefined: no answer, see `error`. */
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Code of the socket's error, when there was one. */
  readonly error: string | undefined
}

/** One request on a connection of its own; never rejects. With a body it is a POST of JSON. */
export function ask(port: number, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        connection: 'keep-alive',
        ...headers,
      },
      timeout: 60_000,
    })
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ status: undefined, headers: {}, body: '', error: error.code ?? error.message })
    sent.once('timeout', () => sent.destroy(new Error('no answer within 10 s')))
    sent.once('error', fail)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('error', fail)
      response.once('end', () => {
        // The client decides when to leave a connection that the engine would keep.
        sent.destroy()
        resolve({ status: response.statusCode, headers: response.headers, body: text, error: undefined })
      })
    })
    sent.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

/** A connection whose bytes are seen as they come. */
export interface RawConnection {
  readonly socket: Socket
  text(): string
  isOpen(): boolean
  /** Resolves when the other side has closed; an error counts as that. */
  readonly closed: Promise<void>
}

export function openRaw(port: number, firstBytes: string): RawConnection {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let open = true
  socket.setEncoding('utf8').on('data', (part: string) => (text += part))
  const closed = new Promise<void>((resolve) => {
    const end = (): void => {
      open = false
      resolve()
    }
    socket.once('end', end).once('close', end)
    socket.on('error', end)
  })
  socket.write(firstBytes)
  return { socket, text: () => text, isOpen: () => open, closed }
}

export const getText = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: engine\r\n\r\n`

export function postText(path: string, body: unknown): string {
  const text = JSON.stringify(body)
  const head = `POST ${path} HTTP/1.1\r\nhost: engine\r\ncontent-type: application/json\r\n`
  return `${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

/** A chat request as raw bytes; without `max_tokens` it goes on until somebody stops it. */
export const chatText = (settings: Record<string, unknown>): string =>
  postText('/v1/chat/completions', { max_tokens: 1_000_000, ...chatBody(settings) })

export const chatBody = (settings: Record<string, unknown>): Record<string, unknown> => ({
  messages: [{ role: 'user', content: 'hello' }],
  ...settings,
})
