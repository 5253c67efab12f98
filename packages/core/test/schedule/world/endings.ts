import type { DrainLimit } from '../../../src/index.ts'
import type { VirtualClock } from './clock.ts'
import type { Host, Process } from './host.ts'
import type { Fate } from './setup.ts'

export interface EndingsOptions {
  readonly clock: VirtualClock
  readonly servedBy: (process: Process) => number
  readonly cut: (process: Process, why: 'evicted' | 'died') => void
  readonly hostOf: (process: Process) => Host
  /** One that was stuck ended after all. */
  readonly exited: (process: Process) => void
  readonly settle: () => void
}

/** How processes end that are told to: drained, stopped, gone or stuck. */
export const makeEndings = ({ clock, servedBy, cut, hostOf, exited, settle }: EndingsOptions) => {
  const draining = new Map<Process, () => void>()
  const isAlive = (process: Process): boolean => hostOf(process).processes.get(process.model) === process

  const remove = (process: Process): void => {
    draining.delete(process)
    if (isAlive(process)) hostOf(process).processes.delete(process.model)
  }

  const stopped = (process: Process, fate: Fate): void => {
    if (!isAlive(process)) return
    if (fate.sticks) {
      process.phase = 'stuck'
      clock.after(fate.lingerMs, () => {
        if (!isAlive(process) || process.phase !== 'stuck') return
        remove(process)
        if (hostOf(process).up) exited(process)
      })
    } else remove(process)
    settle()
  }

  return {
    remove,
    /** Drains, then stops; a second order can only hurry. */
    end(process: Process, fate: Fate, drainMs: DrainLimit): void {
      if (process.phase === 'stopping') {
        if (drainMs === 0) draining.get(process)?.()
        return
      }
      process.phase = 'stopping'
      const begin = (): void => {
        if (!draining.delete(process)) return
        cut(process, 'evicted')
        clock.after(fate.stopMs, () => stopped(process, fate))
      }
      draining.set(process, begin)
      if (drainMs === 0 || servedBy(process) === 0) begin()
      else if (drainMs !== 'never') clock.after(drainMs, begin)
    },
    hurry: (process: Process): void => draining.get(process)?.(),
    beginDrained(): void {
      for (const [process, begin] of draining) if (servedBy(process) === 0) begin()
    },
  }
}

export type Endings = ReturnType<typeof makeEndings>
