import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ClientResponse, HeaderFields } from '../messages.ts'
import { dateLine } from './date.ts'
import { fieldLine } from './fields.ts'
import type { PlainRequest } from './request.ts'

/** How the answers of one connection reach it. One object for all of them, so that an answer needs no functions of its own. */
export interface AnswerWay {
  /** How long the connection may be idle behind an answer, which clients are told. */
  readonly keepAlive: string
  /** Told by the socket once the last bytes of an answer were taken, or never will be. */
  readonly taken: () => void
}

/**
 * Up to this size head, frame and bytes become one text, and one write: in pieces 1 KB takes 62 to 65 µs a request and not 60 (64
 * connections, Node 24). For larger ones it brings nothing that could be measured: 64 KB took 100 to 117 µs with it and 103 to 123 without.
 */
const JOIN_LIMIT_BYTES = 16 * 1024

type EarlyFields = Map<string, [name: string, values: string[]]>

/** What a status tells of the body, whatever the headers say (RFC 9110 §15). */
const hasNoBody = (status: number): boolean => status === 204 || status === 304 || status < 200

/** The answer to a plain request, written as node:http would write it, in as few pieces as there can be. */
export class PlainResponse implements ClientResponse {
  readonly req: PlainRequest
  readonly socket: Socket
  statusCode = 200
  shouldKeepAlive = true
  writableEnded = false
  writableFinished = false
  private readonly way: AnswerWay
  /** Set before the head was written; by name in lower case. */
  private early: EarlyFields | undefined
  /** The head that waits for the first bytes behind it; undefined: there is none yet, or it is on its way. */
  private head: string | undefined
  /** A head in the making, which may fail. */
  private draft = ''
  private isHeadMade = false
  private isCounted = false
  private isDated = false
  private isChunked = false
  private hasBody = true
  private trailers = ''
  private drained: (() => void)[] | undefined
  private finished: (() => void)[] | undefined
  private closed: (() => void)[] | undefined
  private isClosed = false

  constructor(req: PlainRequest, way: AnswerWay) {
    this.req = req
    this.socket = req.socket
    this.way = way
  }

  get headersSent(): boolean {
    return this.isHeadMade
  }

  get destroyed(): boolean {
    return this.isClosed || this.socket.destroyed
  }

  get writableLength(): number {
    return this.socket.writableLength
  }

  get writableNeedDrain(): boolean {
    return this.socket.writableNeedDrain
  }

  on(event: 'finish' | 'close' | 'drain' | 'socket', listener: () => void): void {
    if (event === 'drain') (this.drained ??= []).push(listener)
    else if (event === 'finish') (this.finished ??= []).push(listener)
    else if (event === 'close') (this.closed ??= []).push(listener)
  }

  once(event: 'close' | 'socket', listener: () => void): void {
    this.on(event, listener)
  }

  setHeader(name: string, value: string): void {
    ;(this.early ??= new Map()).set(name.toLowerCase(), [name, [value]])
  }

  hasHeader(name: string): boolean {
    return this.early?.has(name.toLowerCase()) ?? false
  }

  appendHeader(name: string, value: string): void {
    const held = this.early?.get(name.toLowerCase())
    if (held === undefined) this.setHeader(name, value)
    else held[1].push(value)
  }

  writeHead(status: number, second: string | HeaderFields, third?: string[] | HeaderFields): void {
    const reason = typeof second === 'string' ? second : (STATUS_CODES[status] ?? 'unknown')
    const fields = typeof second === 'string' ? third : second
    this.draft = `HTTP/1.1 ${status} ${reason}\r\n`
    this.isCounted = false
    this.isDated = false
    if (this.early !== undefined) this.addEarly(this.early, fields)
    if (Array.isArray(fields)) {
      for (let at = 0; at + 1 < fields.length; at += 2) this.add(fields[at] ?? '', fields[at + 1] ?? '')
    } else for (const name in fields) this.add(name, String(fields[name]))
    if (!this.isDated) this.draft += dateLine()
    this.draft += this.shouldKeepAlive ? this.way.keepAlive : 'Connection: close\r\n'
    this.hasBody = !hasNoBody(status)
    this.isChunked = this.hasBody && !this.isCounted
    this.head = `${this.draft}${this.isChunked ? 'Transfer-Encoding: chunked\r\n' : ''}\r\n`
    this.draft = ''
    this.statusCode = status
    this.isHeadMade = true
  }

  flushHeaders(): void {
    const { head } = this
    if (head === undefined) return
    this.head = undefined
    this.socket.write(head, 'latin1')
  }

  writeContinue(): void {
    // Who asks for it has no plain head
  }

  write(chunk: Buffer | string): boolean {
    // It would begin the next answer of the connection
    if (this.writableEnded) return false
    if (!this.isHeadMade) this.writeHead(200, {})
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (!this.hasBody || bytes.length === 0) return true
    return this.isChunked ? this.writeFrame(bytes) : this.writeBytes(bytes)
  }

  addTrailers(fields: [string, string][]): void {
    for (const [name, value] of fields) this.trailers += fieldLine(name, value)
  }

  end(chunk?: Buffer | string): void {
    if (this.writableEnded) return
    if (!this.isHeadMade) this.writeHead(200, {})
    this.writableEnded = true
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    this.last(bytes === undefined || !this.hasBody || bytes.length === 0 ? undefined : bytes)
  }

  /** The socket takes more again. */
  drain(): void {
    if (this.drained !== undefined) for (const listener of this.drained) listener()
  }

  /** All of it was taken by the system. */
  finish(): void {
    this.writableFinished = true
    if (this.finished !== undefined) for (const listener of this.finished) listener()
    this.close()
  }

  /** Nothing can follow. Idempotent. */
  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    if (this.closed !== undefined) for (const listener of this.closed) listener()
  }

  private add(name: string, value: string): void {
    this.draft += fieldLine(name, value)
    const lower = name.toLowerCase()
    this.isCounted ||= lower === 'content-length'
    this.isDated ||= lower === 'date'
  }

  /** What was set before, but for what is given now. */
  private addEarly(early: EarlyFields, fields: string[] | HeaderFields | undefined): void {
    const given = Array.isArray(fields) ? fields.filter((_, at) => at % 2 === 0) : Object.keys(fields ?? {})
    const later = new Set(given.map((name) => name.toLowerCase()))
    for (const [lower, [name, values]] of early) {
      if (!later.has(lower)) for (const value of values) this.add(name, value)
    }
  }

  private writeFrame(bytes: Buffer): boolean {
    const size = `${bytes.length.toString(16)}\r\n`
    if (bytes.length <= JOIN_LIMIT_BYTES)
      return this.socket.write(`${this.takeHead()}${size}${text(bytes)}\r\n`, 'latin1')
    this.socket.cork()
    this.socket.write(this.takeHead() + size, 'latin1')
    this.socket.write(bytes)
    const isTaken = this.socket.write('\r\n', 'latin1')
    this.socket.uncork()
    return isTaken
  }

  private writeBytes(bytes: Buffer): boolean {
    const head = this.takeHead()
    if (head === '') return this.socket.write(bytes)
    if (bytes.length <= JOIN_LIMIT_BYTES) return this.socket.write(head + text(bytes), 'latin1')
    this.socket.cork()
    this.socket.write(head, 'latin1')
    const isTaken = this.socket.write(bytes)
    this.socket.uncork()
    return isTaken
  }

  private last(bytes: Buffer | undefined): void {
    const { socket, way } = this
    let tail = ''
    if (this.isChunked) {
      if (bytes !== undefined) this.writeFrame(bytes)
      tail = this.trailers === '' ? '0\r\n\r\n' : `0\r\n${this.trailers}\r\n`
    } else if (bytes !== undefined) {
      if (bytes.length <= JOIN_LIMIT_BYTES) tail = text(bytes)
      else {
        socket.cork()
        const head = this.takeHead()
        if (head !== '') socket.write(head, 'latin1')
        socket.write(bytes, way.taken)
        socket.uncork()
        return
      }
    }
    const rest = this.takeHead() + tail
    // The system has all of it, as nearly always. An empty write would be a call of the system as well, three for two
    if (rest === '' && socket.writableLength === 0) process.nextTick(way.taken)
    // Written although it may be empty: its callback comes behind all that waits
    else socket.write(rest, 'latin1', way.taken)
  }

  private takeHead(): string {
    const head = this.head ?? ''
    this.head = undefined
    return head
  }
}

/** Bytes as characters of the same codes. */
const text = (bytes: Buffer): string => bytes.toString('latin1')
