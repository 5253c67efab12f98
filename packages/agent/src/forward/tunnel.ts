import type { Connection, ConnectionUser } from './connection.ts'
import type { ForwardHandler } from './exchange.ts'

interface TunnelOptions {
  readonly handler: ForwardHandler
  /** The engine went before both sides had ended. */
  readonly onLost: (error: Error | undefined) => void
  /** Both sides have ended, and everything was handed on. */
  readonly onOver: () => void
}

/** A connection after 101: bytes both ways, each with its own end, and neither side faster than the other takes it. */
export class Tunnel implements ConnectionUser {
  private engineEnded = false
  private clientEnded = false
  private readonly connection: Connection
  private readonly options: TunnelOptions

  constructor(connection: Connection, options: TunnelOptions) {
    this.connection = connection
    this.options = options
  }

  // The bytes lie in a buffer that every connection shares, so what leaves is a copy
  onBytes(bytes: Buffer, length: number): boolean {
    return this.options.handler.onData(Buffer.from(bytes.subarray(0, length)))
  }

  onDrain(): void {
    this.options.handler.onDrain?.()
  }

  onEnded(): boolean {
    this.engineEnded = true
    this.options.handler.onEnd([])
    this.endIfOver()
    return true
  }

  onLost(error: Error | undefined): void {
    if (error === undefined && this.engineEnded && this.clientEnded) this.options.onOver()
    else this.options.onLost(error)
  }

  write(chunk: Uint8Array): boolean {
    return this.clientEnded || this.connection.socket.write(chunk)
  }

  end(): void {
    if (this.clientEnded) return
    this.clientEnded = true
    this.connection.socket.end(() => this.endIfOver())
  }

  resume(): void {
    this.connection.socket.resume()
  }

  private endIfOver(): void {
    if (this.engineEnded && this.connection.socket.writableFinished) this.options.onOver()
  }
}
