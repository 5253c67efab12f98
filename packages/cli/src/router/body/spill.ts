import { close, constants, openSync, read, unlinkSync, writev } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'

/** The part of a waiting body that lies in a file without a name: whatever ends the router, nothing stays on the disk. */
export interface Spill {
  /** False: no more until `onDrain`. */
  write(chunk: Buffer): boolean
  bytes(): number
  /** Reads from a position on, at least one byte, once that is written; nothing is told after {@link close}. */
  read(position: number, done: (chunk: Buffer) => void): void
  /** Idempotent. */
  close(): void
}

export interface SpillEvents {
  onDrain(): void
  /** It can not be written or read; nothing more is told. */
  onFailed(error: Error): void
}

/** What may wait for the disk before the client is held back. */
const MAX_PENDING_BYTES = 128 * 1024
const READ_BYTES = 64 * 1024
/** No system takes more in one write. */
const MAX_BATCH = 1_024

/** Throws when the file can not be made. Made and unnamed before anything else runs, so that no crash leaves it behind. */
export const createSpill = (events: SpillEvents, folder = tmpdir()): Spill => {
  const path = join(folder, `lswap-${randomUUID()}`)
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600)
  unlinkSync(path)

  let pending: Buffer[] = []
  let pendingBytes = 0
  let written = 0
  let busy = 0
  let isWriting = false
  let isFull = false
  let isOver = false
  let waiting: { readonly position: number; readonly begin: () => void } | undefined

  /** The number of a closed file may be another file's: it is closed when nothing uses it any more. */
  const release = (): void => {
    busy -= 1
    if (isOver && busy === 0) close(file, () => {})
  }

  const end = (): void => {
    if (isOver) return
    isOver = true
    pending = []
    waiting = undefined
    busy += 1
    release()
  }

  const fail = (error: Error): void => {
    if (isOver) return
    end()
    events.onFailed(error)
  }

  /** What is written can be read while more is. */
  const serve = (): void => {
    if (waiting === undefined || (waiting.position >= written && pending.length > 0)) return
    const { begin } = waiting
    waiting = undefined
    begin()
  }

  const flush = (): void => {
    if (isWriting || isOver) return
    if (pending.length === 0) {
      serve()
      if (isFull) {
        isFull = false
        events.onDrain()
      }
      return
    }
    const batch = pending.slice(0, MAX_BATCH)
    isWriting = true
    busy += 1
    writev(file, batch, written, (error, bytes) => {
      isWriting = false
      release()
      if (error !== null) return fail(error)
      if (isOver) return undefined
      written += bytes
      pendingBytes -= bytes
      pending = behind(pending, bytes)
      serve()
      return flush()
    })
  }

  return {
    write: (chunk) => {
      if (isOver) return true
      pending.push(chunk)
      pendingBytes += chunk.length
      if (pendingBytes >= MAX_PENDING_BYTES || pending.length >= MAX_BATCH) isFull = true
      flush()
      return !isFull
    },
    bytes: () => written + pendingBytes,
    read: (position, done) => {
      const begin = (): void => {
        busy += 1
        read(file, Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position, (error, bytes, buffer) => {
          release()
          if (error !== null) return fail(error)
          if (isOver) return undefined
          if (bytes === 0) return fail(new Error('the file is shorter than what was written to it'))
          return done(buffer.subarray(0, bytes))
        })
      }
      waiting = { position, begin }
      serve()
      flush()
    },
    close: end,
  }
}

/** What is left of some chunks without their first bytes: a system may write less than it was given. */
const behind = (chunks: readonly Buffer[], bytes: number): Buffer[] => {
  let left = bytes
  let at = 0
  for (let chunk = chunks[at]; chunk !== undefined && chunk.length <= left; chunk = chunks[at]) {
    left -= chunk.length
    at += 1
  }
  const [first, ...more] = chunks.slice(at)
  return first === undefined ? [] : [first.subarray(left), ...more]
}
