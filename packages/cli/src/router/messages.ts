import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'

/** What the router uses of a request: node:http's are such, and those of plain/ that come without it. */
export interface ClientRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly httpVersion: string
  readonly httpVersionMajor: number
  readonly httpVersionMinor: number
  readonly headers: IncomingHttpHeaders
  /** Name, value, name, value … */
  readonly rawHeaders: readonly string[]
  readonly rawTrailers: readonly string[]
  readonly socket: Socket
  /** Its body was received whole. */
  readonly complete: boolean
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown
  pause(): unknown
  resume(): unknown
  isPaused(): boolean
}

/** What the router uses of the way back to a client, with the meanings of node:http's `ServerResponse`. */
export interface ClientResponse {
  readonly req: ClientRequest
  readonly socket: Socket | null
  readonly statusCode: number
  /** The connection goes on after this answer. */
  shouldKeepAlive: boolean
  readonly headersSent: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  readonly destroyed: boolean
  readonly writableLength: number
  readonly writableNeedDrain: boolean
  setHeader(name: string, value: string): unknown
  hasHeader(name: string): boolean
  appendHeader(name: string, value: string): unknown
  writeHead(status: number, reason: string, headers?: string[] | HeaderFields): unknown
  writeHead(status: number, headers: HeaderFields): unknown
  flushHeaders(): void
  writeContinue(): void
  write(chunk: Buffer | string): boolean
  addTrailers(fields: [string, string][]): void
  end(chunk?: Buffer | string): unknown
  on(event: 'finish' | 'close' | 'drain', listener: () => void): unknown
  once(event: 'close' | 'socket', listener: () => void): unknown
}

export type HeaderFields = Readonly<Record<string, string | number>>
