import { LswapError } from '../errors/failure.ts'
import { fifo } from './fifo/fifo.ts'
import { serial } from './serial/serial.ts'
import { machine } from './machine.ts'
import type { SchedulerOptions } from './options.ts'
import type { Policy } from './policy.ts'
import type { Scheduler } from './scheduler.ts'
import { loadState, type Snapshot } from './state/snapshot.ts'
import { newState } from './state/state.ts'

const POLICIES: Readonly<Record<SchedulerOptions['policy']['use'], Policy>> = { fifo, serial }

/** The schedulers that exist, as `routing.scheduler.use` names them. */
export const SCHEDULER_NAMES: readonly string[] = Object.keys(POLICIES)

const policyOf = ({ policy }: SchedulerOptions): Policy => {
  if (!Object.hasOwn(POLICIES, policy.use)) {
    throw new LswapError({
      code: 'invalid_config',
      message: `there is no scheduler ${JSON.stringify(policy.use)}`,
      hint: `use one of: ${SCHEDULER_NAMES.join(', ')}`,
    })
  }
  return POLICIES[policy.use]
}

/** The scheduler that the options name, with nothing running and no host known yet. */
export const createScheduler = (options: SchedulerOptions): Scheduler =>
  machine({ state: newState(options.seed), options, policyOf })

/** A scheduler that goes on where `snapshot()` was taken. */
export const restoreScheduler = (options: SchedulerOptions, snapshot: unknown): Scheduler =>
  machine({ state: loadState(snapshot as Snapshot), options, policyOf })
