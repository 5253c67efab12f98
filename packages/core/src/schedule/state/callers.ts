import type { CallerId, ModelId } from '../../ids.ts'
import type { Request } from '../request.ts'
import { isMoreUrgent, type Waiter } from './waiter.ts'
import { WaitQueue } from './wait-queue.ts'

const pairKey = (caller: CallerId, model: ModelId): string => `${model.length}:${model}/${caller}`

const add = <Key>(counts: Map<Key, number>, key: Key, more: 1 | -1): number => {
  const count = (counts.get(key) ?? 0) + more
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
  return count
}

/** What callers have under way: for their limits, and so that they share a model fairly. */
export class Callers {
  /** Requests that are queued or granted; parked ones do not count. */
  readonly #active = new Map<CallerId, number>()
  /** Requests by caller and model, parked ones too. */
  readonly #present = new Map<string, number>()
  readonly #lastArrivals = new Map<string, number>()
  readonly #parked = new Map<CallerId, WaitQueue>()
  /** Callers with parked requests that may have ended one. */
  readonly #freed = new Set<CallerId>()

  /** Whether its caller has as many under way as it may. */
  isAtLimit({ caller, callerLimit }: Request): boolean {
    return callerLimit !== undefined && (this.#active.get(caller) ?? 0) >= callerLimit
  }

  /** The request waits or is granted from here on. */
  enter({ caller, model }: Request): void {
    add(this.#active, caller, 1)
    add(this.#present, pairKey(caller, model), 1)
  }

  leave({ caller, model }: Request): void {
    add(this.#active, caller, -1)
    this.#forget(caller, model)
    if (this.#parked.has(caller)) this.#freed.add(caller)
  }

  park(waiter: Waiter): void {
    const { caller, model } = waiter.request
    const queue = this.#parked.get(caller) ?? new WaitQueue(isMoreUrgent)
    this.#parked.set(caller, queue)
    queue.add(waiter)
    add(this.#present, pairKey(caller, model), 1)
  }

  /** To be called once for each parked waiter that stopped waiting. */
  unpark({ request: { caller, model } }: Waiter): void {
    const queue = this.#parked.get(caller)
    if (queue === undefined) return
    queue.forget()
    if (queue.depth === 0) this.#parked.delete(caller)
    else this.#freed.add(caller)
    this.#forget(caller, model)
  }

  /** The next parked waiter whose caller has room again; to be taken out before the next is asked for. */
  nextFreed(): Waiter | undefined {
    for (const caller of this.#freed) {
      const head = this.#parked.get(caller)?.head()
      if (head !== undefined && !this.isAtLimit(head.request)) return head
      this.#freed.delete(caller)
    }
    return undefined
  }

  /** When the caller's latest request for the model counts as arrived; undefined: it has none under way. */
  lastArrivalOf({ caller, model }: Request): number | undefined {
    return this.#lastArrivals.get(pairKey(caller, model))
  }

  noteArrival({ caller, model }: Request, countsFrom: number): void {
    this.#lastArrivals.set(pairKey(caller, model), countsFrom)
  }

  /** What can not be told from the waiters and the grants. */
  toJSON(): (readonly [string, number])[] {
    return [...this.#lastArrivals]
  }

  restore(lastArrivals: readonly (readonly [string, number])[]): void {
    for (const [key, countsFrom] of lastArrivals) this.#lastArrivals.set(key, countsFrom)
  }

  /** A caller that has nothing left here starts anew: what it used while nobody else wanted it is no debt. */
  #forget(caller: CallerId, model: ModelId): void {
    const key = pairKey(caller, model)
    if (add(this.#present, key, -1) === 0) this.#lastArrivals.delete(key)
  }
}
