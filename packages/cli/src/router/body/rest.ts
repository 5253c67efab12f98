import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** The part of a body that is not held, as the stream of one attempt. */
export interface Rest {
  readonly stream: Readable
  push(chunk: Buffer): void
  end(): void
  /** The attempt is over: what the client still sends is not for it. */
  detach(): void
}

/** Reads from the client only while the attempt wants more, so that a slow engine slows the client and fills no memory. */
export const createRest = (req: IncomingMessage): Rest => {
  let isDetached = false
  const stream = new Readable({
    read: () => {
      if (!isDetached) req.resume()
    },
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
      if (!stream.push(chunk)) req.pause()
    },
    end: () => {
      if (!isDetached) stream.push(null)
    },
    detach: () => {
      stream.destroy()
    },
  }
}
