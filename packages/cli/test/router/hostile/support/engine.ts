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

/** How many bytes the request that begins here has in all; 0: its head does not tell. */
const lengthOf = (bytes: Buffer): number => {
  const end = bytes.indexOf('\r\n\r\n')
  const length = /\r\nContent-Length: (\d+)\r\n/i.exec(bytes.toString('latin1', 0, end + 2))?.[1]
  return end < 0 || length === undefined ? 0 : end + 4 + Number(length)
}

export const startStrictEngine = async (t: { teardown(end: () => void): void }): Promise<StrictEngine> => {
  const requests: StrictRequest[] = []
  const faults: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    let pieces: Buffer[] = []
    let bytes = 0
    let wanted = 0
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      bytes += piece.length
      // Large bodies are not put together again and again
      if (bytes < wanted) return
      const all = Buffer.concat(pieces)
      const reading = readStrictly(all)
      wanted = reading.end === 'more' ? lengthOf(all) : 0
      if (reading.end === 'more') return
      pieces = []
      bytes = 0
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
