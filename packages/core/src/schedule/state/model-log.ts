import type { TimelineStep } from '../../timeline/timeline.ts'
import type { WaitCause } from '../scheduler.ts'
import { isSameCause } from './same-cause.ts'

/** Steps kept per model; older ones are forgotten first. A day of a busy model, and a bound on memory. */
const KEPT = 512

type SharedStep = Extract<TimelineStep, { type: 'blocked' | 'swap-started' | 'swap-ended' }>

/**
 * What all waiters of one model share: why they wait, and the swaps for it. Recorded once per model and joined to a
 * request's own steps when somebody reads, so that it costs nothing per waiter.
 */
export class ModelLog {
  readonly steps: SharedStep[]
  #cause: WaitCause | undefined

  constructor(steps: readonly SharedStep[] = [], cause?: WaitCause) {
    this.steps = [...steps]
    this.#cause = cause
  }

  get cause(): WaitCause | undefined {
    return this.#cause
  }

  /** Notes why waiters of this model wait from now on; the same cause again is no new step. */
  block(at: number, cause: WaitCause): void {
    if (this.#cause !== undefined && isSameCause(this.#cause, cause)) return
    this.#cause = cause
    this.record({ at, type: 'blocked', cause })
  }

  /** Nobody waits for this model any more. */
  unblock(): void {
    this.#cause = undefined
  }

  record(step: SharedStep): void {
    this.steps.push(step)
    if (this.steps.length > KEPT) this.steps.shift()
  }
}
