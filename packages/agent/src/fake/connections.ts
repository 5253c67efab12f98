import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** As the real engine announces it in `Keep-Alive`. */
const REQUESTS_PER_CONNECTION = 100
const IDLE_CLOSE_MS = 5000

interface Connection {
  served: number
  active: number
  idle: NodeJS.Timeout | undefined
}

/**
 * Closes idle connections after exactly `idleCloseMs` and busy ones after 100 answers. Node's own settings are not
 * used: its idle limit is a second late on some versions, and over its request limit it answers 503.
 */
export function limitConnections(server: Server, idleCloseMs = IDLE_CLOSE_MS): (response: ServerResponse) => void {
  server.keepAliveTimeout = 0
  const connections = new WeakMap<Socket, Connection>()

  return (response) => {
    const { socket } = response
    if (socket === null) return
    const connection = connections.get(socket) ?? { served: 0, active: 0, idle: undefined }
    connections.set(socket, connection)
    clearTimeout(connection.idle)
    connection.served += 1
    connection.active += 1
    if (connection.served >= REQUESTS_PER_CONNECTION) response.shouldKeepAlive = false
    response.once('close', () => {
      connection.active -= 1
      if (connection.active > 0) return
      connection.idle = setTimeout(() => socket.end(), idleCloseMs)
    })
    if (connection.served === 1) socket.once('close', () => clearTimeout(connection.idle))
  }
}
