import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { tlsIdentity } from '../../fixtures.ts'
import { until } from './ask.ts'

/** How a client leaves: by an end behind what it has sent, or by a reset. */
export type Leaving = 'ends' | 'resets'

/** A client in the middle of a large body. */
export interface Uploader {
  readonly socket: Socket
  /** Bytes of the body that have left the process. */
  sent(): number
  /** Resolves when more than this has. */
  hasSent(bytes: number): Promise<void>
  leave(how: Leaving): void
}

export interface UploadOptions {
  readonly port: number
  readonly secure: boolean
  readonly head: string
  readonly body: Buffer
}

export const identity = tlsIdentity()
const PIECE_BYTES = 64 * 1024

/** Sends a body piece by piece, as fast as it is taken. */
export const upload = async ({ port, secure, head, body }: UploadOptions): Promise<Uploader> => {
  const plain = connect({ port, host: '127.0.0.1', noDelay: true })
  plain.on('error', () => {})
  await once(plain, 'connect')
  const socket = secure ? connectTls({ socket: plain, host: '127.0.0.1', ca: identity.cert }) : plain
  socket.on('error', () => {})
  if (secure) await once(socket, 'secureConnect')
  let sent = 0
  const next = (): void => {
    const piece = body.subarray(sent, sent + PIECE_BYTES)
    if (piece.length === 0 || socket.destroyed) return
    socket.write(piece, (error) => {
      if (error !== undefined && error !== null) return
      sent += piece.length
      next()
    })
  }
  socket.write(head)
  next()
  return {
    socket,
    sent: () => sent,
    hasSent: (bytes) => until(`${bytes} bytes are sent`, () => sent >= bytes),
    leave: (how) => {
      if (how === 'resets') plain.resetAndDestroy()
      else socket.destroy()
    },
  }
}
