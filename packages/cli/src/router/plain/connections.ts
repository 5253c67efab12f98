import type { Socket } from 'node:net'
import { PlainConnection, type PlainOptions } from './connection.ts'

/** The connections of one listener that node:http does not know of. */
export interface PlainConnections {
  add(socket: Socket): void
  /** Ends those that nobody waits for. */
  closeIdle(): void
  closeAll(): void
  /** Looks for those that are idle for too long. */
  look(): void
}

export const createPlainConnections = (options: Omit<PlainOptions, 'onClosed'>): PlainConnections => {
  const open = new Set<PlainConnection>()
  const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(options.keepAliveMs / 1000)}\r\n`
  const all = { ...options, onClosed: (connection: PlainConnection) => void open.delete(connection) }
  return {
    add: (socket) => void open.add(new PlainConnection(socket, all, keepAlive)),
    closeIdle: () => {
      for (const connection of open) if (connection.isIdle()) connection.socket.destroy()
    },
    closeAll: () => {
      for (const { socket } of open) socket.destroy()
    },
    look: () => {
      const now = performance.now()
      for (const connection of open) connection.look(now)
    },
  }
}
