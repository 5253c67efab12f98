import { platform } from 'node:process'
import { tailFile } from '../logs/file-tail.ts'
import type { FileTail } from '../logs/file-tail.ts'
import type { Child, Exit } from './child.ts'
import { createFamily } from './family.ts'
import type { Family } from './family.ts'
import { isAlive, startTimeNow } from './process-table.ts'
import type { ProcessStamp } from './process-table.ts'
import { signalProcess } from './signals.ts'

/** Nobody tells us of the end of a process that is not our child. */
const POLL_MS = 100
/** The next model waits for the end of one that is being stopped. */
const ENDING_POLL_MS = 10

/** It is nobody's news how it ended. */
const UNKNOWN_EXIT: Exit = { code: undefined, signal: undefined }

const stillRuns = (stamp: ProcessStamp): boolean =>
  platform === 'linux' ? isAlive(stamp) : signalProcess(stamp.pid, 0)

/** A number that somebody else has now is never signalled: the system gives none away that still names a group. */
const isTakenOver = ({ pid, startTime }: ProcessStamp): boolean => {
  const now = startTimeNow(pid)
  return now !== undefined && now !== startTime
}

const guarded = (stamp: ProcessStamp, onEnding: () => void): Family => {
  const family = createFamily(stamp.pid)
  return {
    lookForStrays() {
      onEnding()
      if (!isTakenOver(stamp)) family.lookForStrays()
    },
    signal(name) {
      if (!isTakenOver(stamp)) family.signal(name)
    },
    hasSurvivors: () => !isTakenOver(stamp) && family.hasSurvivors(),
  }
}

const openTail = (path: string): FileTail | undefined => {
  try {
    return tailFile({ path, recall: true })
  } catch {
    return undefined
  }
}

export interface AdoptOptions {
  readonly stamp: ProcessStamp
  /** Where an earlier agent told it to write. */
  readonly outputFile: string | undefined
  readonly onOutput: (stream: FileTail['stream']) => void
}

/** A process that an earlier agent started, as if it were a child of ours. */
export const adoptChild = ({ stamp, outputFile, onOutput }: AdoptOptions): Child => {
  const tail = outputFile === undefined ? undefined : openTail(outputFile)
  if (tail !== undefined) onOutput(tail.stream)
  let exit: Exit | undefined
  let timer: NodeJS.Timeout | undefined
  let tell: ((exit: Exit) => void) | undefined
  const exited = new Promise<Exit>((resolve) => {
    tell = resolve
  })
  const look = (): void => {
    if (stillRuns(stamp)) return
    clearInterval(timer)
    exit = UNKNOWN_EXIT
    tail?.end()
    tell?.(exit)
  }
  const lookEvery = (ms: number): void => {
    clearInterval(timer)
    if (exit === undefined) timer = setInterval(look, ms).unref()
  }
  lookEvery(POLL_MS)
  const outputClosed = new Promise<void>((resolve) => {
    if (tail === undefined) resolve()
    else tail.stream.once('close', resolve)
  })
  return {
    pid: stamp.pid,
    family: guarded(stamp, () => lookEvery(ENDING_POLL_MS)),
    exited,
    exit: () => exit,
    outputClosed,
    endInput: () => {},
    release() {
      clearInterval(timer)
      tail?.release()
    },
  }
}
