import type { Connection } from './connection.ts'
import type { ForwardTimers } from './timers.ts'

/** More than any engine serves at once; beyond it a connection is closed instead of kept. */
const IDLE_LIMIT = 256

interface IdleConnectionsOptions {
  /** How long a connection may lie unused, in milliseconds. */
  readonly idleMs: number
  readonly timers: ForwardTimers
}

interface IdleConnections {
  /** The one used last: the least likely to have been closed by the engine meanwhile. */
  take(): Connection | undefined
  put(connection: Connection): void
  /** Closes all of them. */
  clear(): void
}

/** The free list, last in first out, so that the oldest lie still and expire. One that ends meanwhile is skipped by `take`. */
export const createIdleConnections = ({ idleMs, timers }: IdleConnectionsOptions): IdleConnections => {
  const list: Connection[] = []
  let cancelSweep: (() => void) | undefined

  // One timer for the whole list, which is in the order of its ages, left running while connections come and go
  const armSweep = (): void => {
    const oldest = list[0]
    if (oldest === undefined || cancelSweep !== undefined) return
    cancelSweep = timers.after(Math.max(1, oldest.idleSince + idleMs - timers.now()), sweep)
  }

  const sweep = (): void => {
    cancelSweep = undefined
    const now = timers.now()
    const fresh = list.findIndex((connection) => now - connection.idleSince < idleMs)
    for (const connection of list.splice(0, fresh === -1 ? list.length : fresh)) connection.destroy()
    armSweep()
  }

  const clear = (): void => {
    for (const connection of list.splice(0)) connection.destroy()
    cancelSweep?.()
    cancelSweep = undefined
  }

  return {
    take: () => {
      for (;;) {
        const connection = list.pop()
        if (connection === undefined) return undefined
        if (connection.usable && timers.now() - connection.idleSince < idleMs) return connection
        connection.destroy()
      }
    },
    put: (connection) => {
      if (list.length === IDLE_LIMIT) {
        connection.destroy()
        return
      }
      connection.idleSince = timers.now()
      list.push(connection)
      armSweep()
    },
    clear,
  }
}
