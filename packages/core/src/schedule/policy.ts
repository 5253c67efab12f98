import type { ModelId } from '../ids.ts'
import type { Request } from './request.ts'
import type { WaitCause } from './scheduler.ts'
import type { Waiter } from './state/waiter.ts'
import type { Turn } from './turn.ts'

/** `slotless`: only those that full slots do not stop. `critical`: only those with a slot that no picker holds back. */
export type Lane = 'any' | 'slotless' | 'critical'

/** A place in the order of dispatch, compared number by number: larger comes first. */
export type Place = readonly number[]

/** What distinguishes one scheduler from another: who comes before whom. How they are then served is shared. */
export interface Policy {
  /** When a request that is received now counts as arrived, in milliseconds. */
  arrivalOf(turn: Turn, request: Request): number
  /** Order inside a model, higher first; fixed while the request waits. */
  rankOf(turn: Turn, request: Request, countsFrom: number): number
  /** Who goes next inside a model. */
  headOf(turn: Turn, model: ModelId, lane: Lane): Waiter | undefined
  /** Order among the heads of all models. */
  placeOf(turn: Turn, waiter: Waiter): Place
  /** Weight of a claim and against one: larger comes first, then the earlier arrival. */
  strengthOf(turn: Turn, waiter: Waiter): number
  /** Whether what a blocked waiter needs is kept from those behind it. */
  keeps(turn: Turn, waiter: Waiter, cause: WaitCause): boolean
  /**
   * Whether a grant to a model that drains begins its drain anew. So it is where only those are granted who come before
   * the one that it drains for: they get as long as anybody.
   */
  readonly renewsDrains: boolean
  /** Told before a waiter is granted, or a swap starts for it. */
  note(turn: Turn, waiter: Waiter): void
  /** When time alone changes the order. */
  nextChange(turn: Turn): number | undefined
}
