import { BrokenResponse } from './broken-response.ts'
import { ChunkedBody } from './chunked-body.ts'
import type { ForwardHandler, ForwardHead, ForwardRequest } from './exchange.ts'
import { passableTrailers } from './field-kinds.ts'
import { FieldBlock } from './fields.ts'
import { parseResponseHead } from './response-head.ts'
import type { Framing, ResponseHead } from './response-head.ts'

/** 1xx answers before the real one. Each is passed on at once without back-pressure, so their number has a bound. */
const INFORMATION_LIMIT = 16

const H = 72
const NOTHING: readonly string[] = []

/**
 * Reads one answer from bytes as they come and tells the handler of it, except for its end: that follows when the
 * connection has been dealt with. Knows no sockets.
 */
export class ResponseReader {
  /**
   * `head` until the final head is there, then the framing of the body, `none` when the answer is complete; `switched`: what
   * follows is not HTTP.
   */
  phase: 'head' | 'switched' | Framing = 'head'
  /** The handler asked for a pause. */
  paused = false
  /** Of the final head; 0 before. */
  status = 0
  keepAlive = false
  trailers: readonly string[] = NOTHING
  /** Of the 101, once the phase is `switched`. It is not told by the reader: what carries bytes must be there before. */
  switchHead: ForwardHead | undefined
  private stopped = false
  private remaining = 0
  private informations = 0
  private block: FieldBlock | undefined
  private chunked: ChunkedBody | undefined
  private readonly handler: ForwardHandler
  private readonly method: string
  private readonly maySwitch: boolean

  constructor(handler: ForwardHandler, { method, upgrade }: Pick<ForwardRequest, 'method' | 'upgrade'>) {
    this.handler = handler
    this.method = method
    this.maySwitch = upgrade === true
  }

  /** The whole answer has been read. */
  get complete(): boolean {
    return this.phase === 'none'
  }

  /** Nothing more is told, also when this is called from inside the handler. */
  stop(): void {
    this.stopped = true
  }

  /**
   * Reads `bytes` from `from` up to `to`, or less: until the answer is complete, paused or stopped. Returns where it
   * stopped. What it hands out are copies. Throws `BrokenResponse`.
   */
  read(bytes: Buffer, from: number, to: number): number {
    let at = from
    while (at < to && !this.paused && !this.stopped) {
      switch (this.phase) {
        case 'none':
        case 'switched':
          return at
        case 'head':
          at = this.readHead(bytes, at, to)
          break
        case 'length':
          at = this.deliver(bytes, at, Math.min(to, at + this.remaining))
          if (this.remaining === 0) this.phase = 'none'
          break
        case 'chunked':
          at = this.readChunked(this.chunked as ChunkedBody, bytes, at, to)
          break
        default:
          this.remaining = to - at
          at = this.deliver(bytes, at, to)
      }
    }
    return at
  }

  private readHead(bytes: Buffer, from: number, to: number): number {
    if (this.block === undefined) {
      if (bytes[from] !== H) throw new BrokenResponse('no HTTP/1.1 status line')
      this.block = new FieldBlock()
    }
    const at = this.block.take(bytes, from, to)
    if (this.block.complete) {
      const head = parseResponseHead(this.block.text, this.method)
      this.block = undefined
      if (head.status < 200) this.inform(head)
      else this.begin(head)
    }
    return at
  }

  private inform({ status, reason, headers }: ResponseHead): void {
    if (status === 101) {
      if (!this.maySwitch) throw new BrokenResponse('101 Switching Protocols, which nobody asked for')
      this.phase = 'switched'
      this.switchHead = { status, reason, headers, length: undefined, bodyless: true }
      return
    }
    this.informations += 1
    if (this.informations > INFORMATION_LIMIT) throw new BrokenResponse(`more than ${INFORMATION_LIMIT} 1xx answers`)
    this.handler.onInformation?.(status, headers)
  }

  private begin(head: ResponseHead): void {
    const { status, reason, headers, framing, length } = head
    this.status = status
    this.keepAlive = head.keepAlive
    this.remaining = length
    this.phase = framing === 'length' && length === 0 ? 'none' : framing
    if (framing === 'chunked') this.chunked = new ChunkedBody()
    this.handler.onHead({
      status,
      reason,
      headers,
      length: framing === 'length' || framing === 'none' ? length : undefined,
      bodyless: framing === 'none',
    })
  }

  private readChunked(chunked: ChunkedBody, bytes: Buffer, from: number, to: number): number {
    const at = chunked.skipFraming(bytes, from, to)
    if (chunked.done) {
      this.trailers = passableTrailers(chunked.trailers)
      this.phase = 'none'
    } else if (chunked.remaining > 0 && at < to) {
      this.remaining = chunked.remaining
      const end = this.deliver(bytes, at, Math.min(to, at + chunked.remaining))
      chunked.remaining = this.remaining
      return end
    }
    return at
  }

  // The bytes lie in a buffer that every connection shares, so what leaves is a copy; small ones come from Node's pool.
  private deliver(bytes: Buffer, from: number, to: number): number {
    const chunk = Buffer.allocUnsafe(to - from)
    bytes.copy(chunk, 0, from, to)
    this.remaining -= to - from
    if (!this.handler.onData(chunk)) this.paused = true
    return to
  }
}
