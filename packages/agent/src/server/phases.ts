import type { ModelId } from '@lswap/core'
import type { ProcessView } from '../agent.ts'
import type { EventLog } from './event-log.ts'

/** Tells what became of processes by looking at them whenever something may have happened. */
export interface Phases {
  look(): void
}

/** Looks are cheap and come in bursts: one follows the other, and none is lost. */
export const createPhases = (processes: () => Promise<readonly ProcessView[]>, events: EventLog): Phases => {
  const told = new Map<ModelId, string>()
  let isLooking = false
  let again = false

  const look = async (): Promise<void> => {
    for (const { model, phase, epoch = null } of await processes()) {
      const now = `${phase} ${epoch}`
      const before = told.get(model) ?? 'stopped null'
      told.set(model, now)
      if (now !== before) events.add({ type: 'process-changed', model, phase, epoch })
    }
  }

  const run = async (): Promise<void> => {
    isLooking = true
    do {
      again = false
      await look().catch(() => {})
    } while (again)
    isLooking = false
  }

  return {
    look: () => {
      again = true
      if (!isLooking) void run()
    },
  }
}
