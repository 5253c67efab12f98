import type { Socket } from 'node:net'
import type { Clock } from './clock.ts'
import type { RouterLimits } from './limits.ts'

export interface PartingOptions {
  readonly clock: Clock
  readonly limits: () => Pick<RouterLimits, 'discardMs' | 'discardSilentMs'>
}

/**
 * How a connection ends whose client may still be sending. Closed with bytes unread, the system sends a reset, and a client that sends
 * all before it reads never sees its answer.
 */
export interface Parting {
  /** Ends our half behind what is still to be written; what comes is read for a while, for nobody. Idempotent. */
  end(socket: Socket): void
  /** What comes counts no more. */
  isEnding(socket: Socket): boolean
  /** Cuts who goes on for too long, or says nothing for a while. Returns what keeps it from that, and leaves nothing on the connection: it may have many answers. */
  limit(socket: Socket): () => void
}

export const createParting = ({ clock, limits }: PartingOptions): Parting => {
  const ending = new WeakSet<Socket>()

  const limit = (socket: Socket): (() => void) => {
    const { discardMs, discardSilentMs } = limits()
    const end = clock.now() + discardMs
    let read = socket.bytesRead
    const look = (): void => {
      if (socket.bytesRead === read || clock.now() >= end) return void socket.destroy()
      read = socket.bytesRead
      cancel = next()
    }
    const next = (): (() => void) => clock.setTimer(Math.min(end, clock.now() + discardSilentMs), look)
    let cancel = next()
    const stop = (): void => {
      cancel()
      socket.off('close', stop)
    }
    socket.once('close', stop)
    return stop
  }

  return {
    limit,
    isEnding: (socket) => ending.has(socket),
    end: (socket) => {
      if (ending.has(socket) || socket.destroyed) return
      ending.add(socket)
      socket.end()
      socket.resume()
      limit(socket)
    },
  }
}
