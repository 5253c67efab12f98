import { createHash } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Engine } from './engine.ts'

/** What the handshake hashes behind the client's key (RFC 6455 §1.3). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/**
 * What llama-server has not and other engines have: `/ws` says back every frame that it is told, a close included. Written into
 * the journal like any request; anything else that asks to switch protocols is turned away.
 */
export function echoWebSockets(server: Server, engine: Engine): void {
  let sockets = 0
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const key = request.headers['sec-websocket-key']
    const path = (request.url ?? '').split('?', 1)[0]
    if (path !== '/ws' || key === undefined || !engine.ready) {
      socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    sockets += 1
    const number = sockets
    engine.journal({ event: 'websocket', phase: 'open', socket: number })
    socket.on('close', () => engine.journal({ event: 'websocket', phase: 'closed', socket: number }))
    const accept = createHash('sha1')
      .update(key + GUID)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    let rest = head
    const take = (chunk: Buffer): void => {
      rest = Buffer.concat([rest, chunk])
      for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
        rest = rest.subarray(frame.end)
        socket.write(frame.echo)
        if (frame.isClose) socket.end()
      }
    }
    socket.on('data', take)
    socket.on('end', () => socket.end())
    take(Buffer.alloc(0))
  })
}

interface Frame {
  readonly echo: Buffer
  readonly isClose: boolean
  /** Where the next one begins. */
  readonly end: number
}

const PING = 0x9
const PONG = 0xa
const CLOSE = 0x8

/** The first whole frame as it is said back: without its mask, a pong for a ping. */
function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 2) return undefined
  const short = bytes.readUInt8(1) & 0x7f
  const lengthBytes = { 126: 2, 127: 8 }[short] ?? 0
  const maskAt = 2 + lengthBytes
  if (bytes.length < maskAt + 4) return undefined
  const length =
    lengthBytes === 0 ? short : bytes.readUIntBE(maskAt - Math.min(lengthBytes, 6), Math.min(lengthBytes, 6))
  const start = maskAt + 4
  const end = start + length
  if (bytes.length < end) return undefined
  const payload = Buffer.from(bytes.subarray(start, end))
  for (let at = 0; at < length; at += 1) payload[at] = (payload[at] ?? 0) ^ (bytes[maskAt + (at % 4)] ?? 0)
  const first = bytes.readUInt8(0)
  const opcode = first & 0xf
  const head = Buffer.from(bytes.subarray(0, maskAt))
  head[0] = opcode === PING ? (first & 0xf0) | PONG : first
  head[1] = short
  return { echo: Buffer.concat([head, payload]), isClose: opcode === CLOSE, end }
}
