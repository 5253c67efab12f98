import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { readStrictly, type StrictRequest } from './strict.ts'

/** An engine that answers everything at once, and believes nobody. */
export interface StrictEngine {
  readonly port: number
  /** What came, in the order of its end. */
  readonly requests: readonly StrictRequest[]
  /** What no router may send. */
  readonly faults: readonly string[]
}

const BODY = '{"ok":true}'
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`

export const startStrictEngine = async (t: { teardown(end: () => void): void }): Promise<StrictEngine> => {
  const requests: StrictRequest[] = []
  const faults: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let rest = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      const reading = readStrictly(rest)
      if (reading.end === 'more') return
      rest = Buffer.alloc(0)
      if (reading.end !== 'whole') faults.push(reading.end)
      // The forwarder sends one request at a time
      if (reading.requests.length !== 1) faults.push(`${reading.requests.length} requests at once`)
      for (const request of reading.requests) {
        requests.push(request)
        socket.write(ANSWER)
      }
    })
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, requests, faults }
}
