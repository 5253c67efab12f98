import { isAlive, treeOf } from './process-table.ts'
import type { ProcessStamp } from './process-table.ts'
import { isGroupAlive, signalGroup, signalProcess } from './signals.ts'

/** A child, its process group, and what left the group but was seen below it. */
export interface Family {
  /** Notes descendants that moved to a group of their own; only works while their parents live. */
  lookForStrays(): void
  signal(signal: NodeJS.Signals): void
  /** Whether anything but the child itself still runs; ask only once the child has ended. */
  hasSurvivors(): boolean
}

export const createFamily = (pid: number): Family => {
  const strays = new Map<number, ProcessStamp>()
  const living = (): ProcessStamp[] => [...strays.values()].filter(isAlive)

  return {
    lookForStrays() {
      for (const root of [pid, ...living().map((stray) => stray.pid)]) {
        for (const found of treeOf(root)) if (found.group !== pid) strays.set(found.pid, found)
      }
    },
    signal(signal) {
      signalGroup(pid, signal)
      for (const stray of living()) signalProcess(stray.pid, signal)
    },
    hasSurvivors: () => isGroupAlive(pid) || living().length > 0,
  }
}
