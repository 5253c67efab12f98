import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'

/** Output kept in the file itself; then it becomes the older one, and the file begins anew. */
const MAX_FILE_BYTES = 4_194_304
const POLL_MS = 100
/** What one turn reads, so that a flood holds up nobody else. */
const CHUNK_BYTES = 65_536
/** How much of what came before is read again by an agent that takes the process over. */
const RECALLED_BYTES = 262_144

/** The older half of an output file. */
export const olderOutput = (path: string): string => `${path}.1`

export interface FileTailOptions {
  readonly path: string
  /** Begins with the last lines that were written before. */
  readonly recall?: boolean
  readonly maxFileBytes?: number
}

/** The output of a process that writes to a file, as it comes. */
export interface FileTail {
  readonly stream: Readable
  /** The process is gone: what is left is read, and the stream ends. */
  end(): void
  /** Reads no more, and leaves the file to the next agent. */
  release(): void
}

/**
 * Follows a file that another process appends to, and keeps it small. The writer holds the file open, so it can not be
 * exchanged: its beginning is copied away and the file is emptied. Throws when the file can not be opened.
 */
export const tailFile = ({ path, recall = false, maxFileBytes = MAX_FILE_BYTES }: FileTailOptions): FileTail => {
  const file = openSync(path, 'r+')
  const stream = new Readable({ read: () => {} })
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let at = recall ? Math.max(0, fstatSync(file).size - RECALLED_BYTES) : 0
  let isOpen = true

  /** Whether there may be more. */
  const readSome = (): boolean => {
    // Somebody emptied it
    if (fstatSync(file).size < at) at = 0
    const count = readSync(file, buffer, 0, CHUNK_BYTES, at)
    at += count
    if (count > 0) stream.push(Buffer.from(buffer.subarray(0, count)))
    return count === CHUNK_BYTES
  }

  const rotate = (): void => {
    try {
      copyFileSync(path, olderOutput(path))
    } catch {
      // A full disk: the new lines matter more than the old ones.
      rmSync(olderOutput(path), { force: true })
    }
    // Nothing in between: what is written now must not be thrown away unread.
    while (readSome());
    ftruncateSync(file, 0)
    at = 0
  }

  const turn = (): void => {
    if (!isOpen) return
    try {
      const isMore = readSome()
      if (at >= maxFileBytes) rotate()
      if (isMore) setImmediate(turn)
    } catch (error) {
      close()
      stream.destroy(error instanceof Error ? error : undefined)
    }
  }

  const timer = setInterval(turn, POLL_MS).unref()
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    clearInterval(timer)
    closeSync(file)
  }
  turn()

  return {
    stream,
    end() {
      if (!isOpen) return
      try {
        while (readSome());
      } catch {
        // What could be read was.
      }
      close()
      stream.push(null)
    },
    release() {
      close()
      stream.destroy()
    },
  }
}
