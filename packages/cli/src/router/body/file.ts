import { failureOf, type Failure } from '@lswap/core'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { BodyMemory } from './memory.ts'
import { createSpill, type Spill, type SpillEvents } from './spill.ts'

/** What of the disk's share may go to bodies that need not lie there: those that wait can not do without it. */
const SPARE_SHARE = 0.5
/** What other programs, and bodies that wait, find free in the folder all the same. */
const LEFT_FREE_BYTES = 1024 * 1024 * 1024

/** The part of a body that lies in a file, and the disk space that it takes. Made when it is first written to. */
export class BodyFile {
  private readonly disk: BodyMemory
  private readonly events: SpillEvents
  private spill: Spill | undefined
  private taken = 0

  constructor(disk: BodyMemory, events: SpillEvents) {
    this.disk = disk
    this.events = events
  }

  isOpen(): boolean {
    return this.spill !== undefined
  }

  bytes(): number {
    return this.spill?.bytes() ?? 0
  }

  /** Makes sure of room for so many more bytes. False: there is none. */
  reserve(bytes: number, share = 1): boolean {
    const missing = this.bytes() + bytes - this.taken
    if (missing <= 0) return true
    if (!this.disk.take(missing, share)) return false
    this.taken += missing
    return true
  }

  /** As {@link reserve}, for bytes that could as well wait with their client: never an error, and never the last of the room. */
  reserveSpare(bytes: number): boolean {
    try {
      const { bavail, bsize } = statfsSync(tmpdir())
      if (bavail * bsize < LEFT_FREE_BYTES || !this.reserve(bytes, SPARE_SHARE)) return false
      this.spill ??= createSpill(this.events)
      return true
    } catch {
      return false
    }
  }

  /** What is still reserved. */
  left(): number {
    return this.taken - this.bytes()
  }

  /** Nothing more will be written. */
  settle(): void {
    this.disk.give(this.left())
    this.taken -= this.left()
  }

  /** False: no more until it has drained. Throws when the file can not be made. */
  write(chunk: Buffer): boolean {
    this.spill ??= createSpill(this.events)
    return this.spill.write(chunk)
  }

  /** Reads from a position on, at least one byte. */
  read(position: number, done: (chunk: Buffer) => void): void {
    this.spill?.read(position, done)
  }

  /** Gives its space back; what is written from now on is another file. Idempotent. */
  close(): void {
    this.spill?.close()
    this.spill = undefined
    if (this.taken > 0) this.disk.give(this.taken)
    this.taken = 0
  }
}

export const NO_ROOM: Failure = {
  code: 'resource_exhausted',
  message: 'The bodies of waiting requests fill their memory and disk space.',
}

export const noFile = (error: unknown): Failure => ({
  code: 'resource_exhausted',
  message: `The body of a waiting request can not be kept in a file: ${failureOf(error).message}.`,
})
