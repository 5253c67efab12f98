import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'
import { createSignal } from './signal.ts'

/** The engine's end of one connection. */
export interface Wire {
  readonly socket: Socket
  /** All that came, as Latin-1. */
  received(): string
  receivedBytes(): number
  /** Resolves when so many bytes have come in all; cheap also for large bodies. */
  untilBytes(bytes: number): Promise<void>
  until(condition: (received: string) => boolean, what: string): Promise<void>
  /** Resolves when the head of the `n`th request (from 1) has come, with the head of the last one. */
  request(n?: number): Promise<string>
  send(text: string): void
  /** Resolves when the other side has closed. */
  closed(): Promise<void>
}

export interface Engine {
  readonly port: number
  /** In the order in which they were accepted. */
  readonly wires: Wire[]
  /** Resolves with the `n`th connection (from 1) when it has been accepted. */
  wire(n: number): Promise<Wire>
}

/** A raw TCP server that says exactly what the test tells it to. `reads: false`: it accepts and reads nothing. */
export const startEngine = async (t: Test, { reads = true }: { reads?: boolean } = {}): Promise<Engine> => {
  const signal = createSignal()
  const wires: Wire[] = []
  const server = createServer({ pauseOnConnect: !reads, noDelay: true }, (socket) => {
    wires.push(createWire(socket))
    signal.notify()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const wire of wires) wire.socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    wires,
    wire: async (n) => {
      await signal.until(() => wires.length >= n, `connection ${n}`)
      return wires[n - 1] as Wire
    },
  }
}

const createWire = (socket: Socket): Wire => {
  const signal = createSignal()
  const chunks: Buffer[] = []
  let bytes = 0
  let isClosed = false
  const received = (): string => Buffer.concat(chunks).toString('latin1')
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    bytes += chunk.length
    signal.notify()
  })
  const onClosed = (): void => {
    isClosed = true
    signal.notify()
  }
  socket.on('error', onClosed)
  socket.on('end', onClosed)
  socket.on('close', onClosed)
  const heads = (): string[] => received().match(/(?:GET|POST|HEAD) [^]*?\r\n\r\n/g) ?? []
  return {
    socket,
    received,
    receivedBytes: () => bytes,
    untilBytes: (expected) => signal.until(() => bytes >= expected, `${expected} bytes`),
    until: (condition, what) => signal.until(() => condition(received()), what),
    request: async (n = 1) => {
      await signal.until(() => heads().length >= n, `request ${n} on the connection`)
      return heads()[n - 1] as string
    },
    send: (text) => {
      socket.write(text, 'latin1')
    },
    closed: () => signal.until(() => isClosed, 'the close of the connection'),
  }
}
