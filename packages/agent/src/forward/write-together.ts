import type { Socket } from 'node:net'

/** Up to this size copying into one buffer is cheaper than a write of several parts. */
const JOIN_LIMIT_BYTES = 16 * 1024

/** Writes all parts with one system call; strings are Latin-1. False: the socket holds enough for now. */
export const writeTogether = (socket: Socket, parts: readonly (string | Uint8Array)[]): boolean => {
  let bytes = 0
  for (const part of parts) bytes += part.length
  if (bytes <= JOIN_LIMIT_BYTES) return socket.write(join(parts, bytes))
  socket.cork()
  for (const part of parts) {
    if (typeof part === 'string') socket.write(part, 'latin1')
    else socket.write(part)
  }
  socket.uncork()
  return !socket.writableNeedDrain
}

const join = (parts: readonly (string | Uint8Array)[], bytes: number): Buffer => {
  const joined = Buffer.allocUnsafe(bytes)
  let at = 0
  for (const part of parts) {
    if (typeof part === 'string') joined.write(part, at, 'latin1')
    else joined.set(part, at)
    at += part.length
  }
  return joined
}
