import type { WaitCause } from '../scheduler.ts'
import type { State } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'

/** Why a request waits outside the order; undefined: it is in it. */
const parkedCause = ({ parked, request: { callerLimit } }: Waiter): WaitCause | undefined =>
  parked && callerLimit !== undefined ? { type: 'caller-cap', limit: callerLimit } : undefined

/** Why a request waits: for its caller, or with its model. */
export const causeOfWaiter = (state: State, waiter: Waiter): WaitCause | undefined =>
  parkedCause(waiter) ?? state.logs.get(waiter.request.model)?.cause
