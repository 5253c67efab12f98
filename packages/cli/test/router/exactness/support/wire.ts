import type { Socket } from 'node:net'
import { createSignal } from './signal.ts'

export type Ending = 'closed' | 'reset'

/** One end of a connection where every byte counts. */
export interface Wire {
  readonly socket: Socket
  bytes(): Buffer
  /** Resolves once the bytes have gone to the system: what is sent next is a write of its own. Strings are Latin-1. */
  send(bytes: string | Buffer): Promise<void>
  /** Ends it at once, by a reset. */
  reset(): void
  /** How the other side ended it. */
  ending(): Ending | undefined
  /** Looks again whenever something happens; rejects after 5 s. */
  until(what: string, holds: () => boolean): Promise<void>
  ended(): Promise<Ending>
}

/** `onBytes`: something has come. `plain`: what carries it. */
export const createWire = (socket: Socket, onBytes: () => void = () => {}, plain = socket): Wire => {
  const signal = createSignal()
  const chunks: Buffer[] = []
  let ending: Ending | undefined
  const end = (how: Ending) => (): void => {
    ending ??= how
    signal.happened()
  }
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    onBytes()
    signal.happened()
  })
  socket.on('end', end('closed'))
  socket.on('error', end('reset'))
  socket.on('close', end('closed'))
  return {
    socket,
    bytes: () => Buffer.concat(chunks),
    // A write that fails has a peer that is gone, which `ending` tells
    send: (bytes) =>
      new Promise((resolve) => {
        socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, () => resolve())
      }),
    reset: () => void plain.resetAndDestroy(),
    ending: () => ending,
    until: async (what, holds) => {
      await signal.until(what, () => (holds() ? true : undefined))
    },
    ended: () => signal.until('the connection ends', () => ending),
  }
}
