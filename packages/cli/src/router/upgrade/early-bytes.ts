import type { Socket } from 'node:net'

/** What a client may send ahead of the answer; more waits in its own buffers. */
const MOST_BYTES = 64 * 1024
const NOTHING = Buffer.alloc(0)

/** Reads on while nobody else does, so that a client that leaves is noticed, and keeps what comes. */
export interface EarlyBytes {
  /** Ends the reading and gives what came. */
  take(): Buffer
  /** Whatever comes is thrown away from now on. */
  discard(): void
}

/** `head`: what came together with the request. */
export const readEarly = (socket: Socket, head: Buffer): EarlyBytes => {
  let bytes = head
  let isKept = true
  const onData = (chunk: Buffer): void => {
    if (!isKept) return
    bytes = Buffer.concat([bytes, chunk])
    if (bytes.length > MOST_BYTES) socket.pause()
  }
  socket.on('data', onData)
  // node:http stops the connection while a large body in front of this one is not taken, and starts it no more once it has let go of it; to
  // Node 20's stream it is being read then, until something comes
  socket.push(NOTHING)
  socket.resume()
  return {
    take: () => {
      socket.off('data', onData)
      return bytes
    },
    discard: () => {
      isKept = false
      bytes = Buffer.alloc(0)
      socket.resume()
    },
  }
}
