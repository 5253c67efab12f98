import { connect, isIP, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { ForwardTimers } from './timers.ts'

// Every socket reads into this one buffer: the event loop hands one read at a time to us, and we copy what leaves. It saves
// an allocation per read, 10–25 % of the CPU of a streamed chunk.
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024)

// There is no deadline for an answer, since a generation may take many minutes; a host that vanished meanwhile is found by
// TCP's own probes, which start after so long a silence.
const PROBE_AFTER_MS = 30_000

/** The exchange that a connection carries at the moment. */
export interface ConnectionUser {
  /** `bytes` belongs to the connection and is valid during the call only. False: read no more until `socket.resume()`. */
  onBytes(bytes: Buffer, length: number): boolean
  /** What was written has gone out. */
  onDrain(): void
  /** The engine sends no more. True: it may still be written to; otherwise the connection is lost. */
  onEnded?(): boolean
  /** The engine closed it (no error), reset it, or never accepted it. Comes once. */
  onLost(error: Error | undefined): void
}

interface ConnectionOptions {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly ca?: string | undefined
  readonly connectTimeoutMs: number
  /** 0: never. */
  readonly keepAliveMs: number | undefined
  readonly timers: ForwardTimers
}

/** A connection was not accepted in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** A certificate for an address has no name that could be asked for. */
const secureOptions = (
  host: string,
  ca: string | undefined,
): { ALPNProtocols: string[]; servername?: string; ca?: string } => ({
  ALPNProtocols: ['http/1.1'],
  ...(ca === undefined ? {} : { ca }),
  ...(isIP(host) === 0 ? { servername: host } : {}),
})

/** One socket to an engine, used by one exchange after the other. */
export class Connection {
  readonly socket: Socket
  user: ConnectionUser | undefined
  /** An exchange before this one used it: the engine may just have closed it. */
  reused = false
  /** When it became idle. */
  idleSince = 0
  private ended = false
  private cancelDeadline: (() => void) | undefined

  constructor({ host, port, tls, ca, connectTimeoutMs, keepAliveMs = PROBE_AFTER_MS, timers }: ConnectionOptions) {
    const options = {
      host,
      port,
      noDelay: true,
      // Only after a switch of protocols: else an end is the loss of the connection
      allowHalfOpen: true,
      keepAlive: keepAliveMs > 0,
      keepAliveInitialDelay: keepAliveMs,
      onread: { buffer: READ_BUFFER, callback: (length: number) => this.receive(length) },
    }
    this.socket = tls ? connectSecurely({ ...options, ...secureOptions(host, ca) }) : connect(options)
    this.cancelDeadline = timers.after(connectTimeoutMs, () => {
      this.lose(new ConnectTimeout(`not accepted within ${connectTimeoutMs} ms`))
    })
    this.socket.on(tls ? 'secureConnect' : 'connect', () => {
      this.cancelDeadline?.()
      this.cancelDeadline = undefined
    })
    this.socket.on('drain', () => this.user?.onDrain())
    this.socket.on('end', () => {
      if (this.user?.onEnded?.() !== true) this.lose(undefined)
    })
    this.socket.on('error', (error) => this.lose(error))
    this.socket.on('close', () => this.lose(undefined))
  }

  /** Whether a request can be written to it, as far as this side knows. */
  get usable(): boolean {
    return this.socket.writable
  }

  /** Closes the socket at once, whatever is on its way. Its user hears nothing. Idempotent. */
  destroy(): void {
    this.ended = true
    this.user = undefined
    this.cancelDeadline?.()
    this.cancelDeadline = undefined
    this.socket.destroy()
  }

  private receive(length: number): boolean {
    if (this.user !== undefined) return this.user.onBytes(READ_BUFFER, length)
    // Bytes that no request asked for: whatever they are, they must not become the next request's answer.
    this.lose(undefined)
    return false
  }

  private lose(error: Error | undefined): void {
    if (this.ended) return
    const { user } = this
    this.destroy()
    user?.onLost(error)
  }
}
