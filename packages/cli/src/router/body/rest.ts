import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { relieve } from '../../heap/relief.ts'
import type { Spill } from './spill.ts'

/** The part of a body that is not held in memory, as the stream of one attempt. */
export interface Rest {
  readonly stream: Readable
  push(chunk: Buffer): void
  end(): void
  /** The attempt is over: what the client still sends is not for it. */
  detach(): void
}

export interface RestOptions {
  readonly req: IncomingMessage
  /** What comes before that which the client still sends. */
  readonly spill: Spill | undefined
  /** The client has sent all: the stream ends with the spill. */
  readonly isComplete: () => boolean
  /** Makes of each chunk what the engine gets. */
  readonly edit: (chunk: Buffer) => readonly Uint8Array[]
  /** The spill was read to its end. */
  readonly onSpillRead: () => void
}

/** Reads from the file and the client only while the attempt wants more, so that a slow engine slows the client and fills no memory. */
export const createRest = ({ req, spill, isComplete, edit, onSpillRead }: RestOptions): Rest => {
  const spilled = spill?.bytes() ?? 0
  let position = 0
  let isReading = false
  let isDetached = false
  // What the client sends comes after the file
  if (spilled > 0) req.pause()

  /** Called when the attempt wants more: once for each push, and again before the file has answered. */
  const readOn = (): void => {
    if (isDetached || isReading) return
    if (position < spilled) readFile()
    else if (isComplete()) stream.push(null)
    else req.resume()
  }

  const readFile = (): void => {
    isReading = true
    spill?.read(position, (chunk) => {
      isReading = false
      if (isDetached) return
      position += chunk.length
      relieve(chunk.length)
      if (position === spilled) onSpillRead()
      const pieces = edit(chunk)
      for (const piece of pieces) stream.push(piece)
      // Nobody asks again for what was edited away
      if (pieces.length === 0) readOn()
    })
  }

  const stream = new Readable({
    read: readOn,
    // The client's own stream outlives a failed attempt
    destroy: (error, done) => {
      if (!isDetached) req.pause()
      isDetached = true
      done(error)
    },
  })
  // Whoever reads it learns of its end from the forwarder; an error without a listener would be an uncaught exception
  stream.on('error', () => {})
  return {
    stream,
    push: (chunk) => {
      for (const piece of edit(chunk)) if (!stream.push(piece)) req.pause()
    },
    end: () => {
      if (!isDetached && position === spilled) stream.push(null)
    },
    detach: () => {
      stream.destroy()
    },
  }
}
