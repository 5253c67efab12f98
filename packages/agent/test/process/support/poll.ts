import { setTimeout as sleep } from 'node:timers/promises'
import { startTimeOf } from '../../../src/state/process-identity.ts'

/** Waits until the condition holds, at most a minute. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await sleep(5)
  }
}

/** Whether a process of this number runs; a zombie that nobody has collected yet does not. */
export const runs = async (pid: number): Promise<boolean> => (await startTimeOf(pid)) !== undefined
