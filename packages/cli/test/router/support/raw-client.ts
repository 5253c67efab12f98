import { connect, type Socket } from 'node:net'
import { until } from './ask.ts'

export interface RawClient {
  readonly socket: Socket
  /** Every byte that came, as Latin-1. */
  text(): string
  /** The pieces as they came out of the socket. */
  readonly pieces: string[]
  send(text: string | Buffer): void
  /** Resolves when the text is there. */
  has(text: string): Promise<void>
  /** How it ended; undefined while it is open. */
  end(): 'closed' | 'reset' | undefined
  ended(): Promise<'closed' | 'reset'>
}

/** A connection where every byte counts. */
export const rawClient = async (port: number): Promise<RawClient> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const pieces: string[] = []
  let ending: 'closed' | 'reset' | undefined
  socket.on('data', (chunk) => pieces.push(chunk.toString('latin1')))
  socket.on('error', () => {
    ending = 'reset'
  })
  socket.on('close', () => {
    ending ??= 'closed'
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  const text = (): string => pieces.join('')
  return {
    socket,
    pieces,
    text,
    send: (bytes) => void socket.write(bytes),
    has: (wanted) => until(`"${wanted}" in ${JSON.stringify(text().slice(-300))}`, () => text().includes(wanted)),
    end: () => ending,
    ended: async () => {
      await until('the connection ends', () => ending !== undefined)
      return ending ?? 'closed'
    },
  }
}

/** The head of a POST to the chat route. */
export const chatHead = (fields: string): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n${fields}\r\n\r\n`

export const chat = (body: string, fields = ''): string =>
  chatHead(`Content-Length: ${Buffer.byteLength(body)}${fields === '' ? '' : `\r\n${fields}`}`) + body
