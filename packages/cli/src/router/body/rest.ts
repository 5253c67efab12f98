import { Readable } from 'node:stream'
import { relieve } from '../../heap/relief.ts'
import type { Clock } from '../clock.ts'
import type { BodyFile } from './file.ts'
import { watchPace } from './pace.ts'

/** The part of a body that is not held in memory, as the stream of one attempt. */
export interface Rest {
  readonly stream: Readable
  /** Whether what the client sends goes to the file, since the engine does not take it. */
  isReadingOn(): boolean
  /** What the client sends while that is so. */
  keep(chunk: Buffer): void
  /** What it sends otherwise. */
  push(chunk: Buffer): void
  end(): void
  /** The file takes more again. */
  drained(): void
  /** What was read of the file is not needed again: closes it, if that is all of it. */
  dropRead(): void
  /** The attempt is over: what the client still sends is not for it. */
  detach(): void
}

export interface RestOptions {
  readonly client: {
    pause(): void
    resume(): void
    isPaused(): boolean
  }
  /** What comes before that which the client still sends. */
  readonly file: BodyFile
  readonly clock: Clock
  /** The client has sent all: the stream ends with the file. */
  readonly isComplete: () => boolean
  /** It will not be sent again. */
  readonly isForgotten: () => boolean
  /** Makes of each chunk what the engine gets. */
  readonly edit: (chunk: Buffer) => readonly Uint8Array[]
}

/** How much more of its body a client may send in each second in which the engine is slow. */
const READ_ON_BYTES = 16 * 1024 * 1024

/**
 * Reads from the file and the client only while the attempt wants more, so that a slow engine slows the client and fills no
 * memory. But who is not read from can not be seen to leave, by an end or by a reset: behind an engine that takes little the
 * client is read on into the file, a part each second.
 */
export const createRest = ({ client, file, clock, isComplete, isForgotten, edit }: RestOptions): Rest => {
  let position = 0
  let isReading = false
  let isReadingOn = false
  let isDetached = false

  const pace = watchPace({ clock, isHeldBack: () => client.isPaused() }, () => {
    if (isComplete()) return pace.stop()
    if (!file.reserveSpare(READ_ON_BYTES)) return undefined
    isReadingOn = true
    return client.resume()
  })

  const holdBack = (): void => {
    client.pause()
    pace.begin()
  }
  // What the client sends comes after the file
  if (file.isOpen()) holdBack()

  /** Called when the attempt wants more: once for each push, and again before the file has answered. */
  const readOn = (): void => {
    if (isDetached || isReading) return
    if (position < file.bytes()) return readFile()
    isReadingOn = false
    if (isComplete()) stream.push(null)
    else client.resume()
  }

  const readFile = (): void => {
    isReading = true
    file.read(position, (chunk) => {
      isReading = false
      if (isDetached) return
      position += chunk.length
      pace.moved(chunk.length)
      relieve(chunk.length)
      if (isForgotten()) dropRead()
      const pieces = edit(chunk)
      for (const piece of pieces) stream.push(piece)
      // Nobody asks again for what was edited away
      if (pieces.length === 0) readOn()
    })
  }

  const dropRead = (): void => {
    if (position === 0 || position !== file.bytes()) return
    file.close()
    position = 0
    isReadingOn = false
  }

  const stream = new Readable({
    read: readOn,
    // The client's own stream outlives a failed attempt
    destroy: (error, done) => {
      if (!isDetached) client.pause()
      isDetached = true
      pace.stop()
      done(error)
    },
  })
  // Whoever reads it learns of its end from the forwarder; an error without a listener would be an uncaught exception
  stream.on('error', () => {})
  return {
    stream,
    isReadingOn: () => isReadingOn,
    keep: (chunk) => {
      if (!file.write(chunk) || file.left() <= 0) client.pause()
    },
    push: (chunk) => {
      pace.moved(chunk.length)
      for (const piece of edit(chunk)) if (!stream.push(piece)) holdBack()
    },
    end: () => {
      file.settle()
      if (!isDetached && position === file.bytes()) stream.push(null)
    },
    drained: () => {
      if (isReadingOn && file.left() > 0) client.resume()
    },
    dropRead,
    detach: () => {
      stream.destroy()
    },
  }
}
