import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { readMessage, type Message } from './message.ts'
import { createSignal } from './signal.ts'
import { createWire, type Wire } from './wire.ts'

/** A whole request that came, and the connection to answer it on. */
export interface Arrival {
  readonly message: Message
  readonly wire: Wire
}

/** A raw server: it says nothing that the test does not write. */
export interface Engine {
  readonly port: number
  readonly arrivals: readonly Arrival[]
  readonly wires: readonly Wire[]
  /** The `n`th whole request, from 0. */
  arrival(n: number): Promise<Arrival>
  /** The `n`th connection, from 0. */
  wire(n: number): Promise<Wire>
}

export const startEngine = async (t: { teardown(end: () => void): void }): Promise<Engine> => {
  const arrivals: Arrival[] = []
  const wires: Wire[] = []
  const signal = createSignal()

  const take = (socket: Socket): void => {
    let at = 0
    const wire = createWire(socket, () => {
      for (;;) {
        const message = readMessage(wire.bytes().subarray(at))
        if (message === undefined || !message.isComplete) return
        at += message.end
        arrivals.push({ message, wire })
        signal.happened()
      }
    })
    wires.push(wire)
    signal.happened()
  }

  const server = createServer({ noDelay: true }, take)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const { socket } of wires) socket.destroy()
    server.close()
  })

  return {
    port: (server.address() as AddressInfo).port,
    arrivals,
    wires,
    arrival: (n) => signal.until(`request ${n} at the engine`, () => arrivals[n]),
    wire: (n) => signal.until(`connection ${n} at the engine`, () => wires[n]),
  }
}
