import type { Clock } from '../../router/clock.ts'

export interface WatchOptions {
  /** What tells one state of the files from another. Never rejects. */
  readonly look: () => Promise<string>
  readonly clock: Clock
}

/** Notices when files are not any more what they were when they were last read. */
export interface Watch {
  /** Reads them: whatever changes from here on is noticed. */
  reading<Read>(read: () => Promise<Read>): Promise<Read>
  /** Calls `onChange` when they changed and are quiet; it reads them and never rejects. The first call may come for nothing. */
  start(onChange: () => Promise<unknown>): void
  stop(): void
}

/** Two looks make a change count, so an edit does within about a second; a file that is half written has that long. */
const LOOK_MS = 500

/** By looking at them again and again: that also works on network drives, bind mounts and exchanged links, where no event comes. */
export const createWatch = ({ look, clock }: WatchOptions): Watch => {
  let known: string | undefined
  let before: string | undefined
  let cancel: (() => void) | undefined
  let isStopped = false

  const watch = async (onChange: () => Promise<unknown>): Promise<void> => {
    const seen = await look()
    // Only once they stayed the same for a while: somebody may be writing
    if (!isStopped && seen !== known && seen === before) await onChange()
    before = seen
    arm(onChange)
  }

  const arm = (onChange: () => Promise<unknown>): void => {
    if (!isStopped) cancel = clock.setTimer(clock.now() + LOOK_MS, () => void watch(onChange))
  }

  return {
    reading: async (read) => {
      // Before they are read: a change in between is then noticed, at worst once too often
      known = await look()
      return read()
    },
    start: arm,
    stop: () => {
      isStopped = true
      cancel?.()
    },
  }
}
