import type { CallerId, ModelId } from '../../ids.ts'
import type { Request } from '../request.ts'
import { byPriority, type Waiter } from './waiter.ts'
import { WaitQueue } from './wait-queue.ts'

/** What a caller has under way with one model. */
interface Pair {
  /** Requests, parked ones too. */
  present: number
  lastArrival: number | undefined
}

/** What a caller has under way. */
interface Account {
  /** Requests that are queued or granted; parked ones do not count. */
  active: number
  readonly pairs: Map<ModelId, Pair>
}

const pairKey = (caller: CallerId, model: ModelId): string => `${model.length}:${model}/${caller}`

const pairIn = (key: string): readonly [caller: CallerId, model: ModelId] => {
  const from = key.indexOf(':') + 1
  const to = from + Number(key.slice(0, from - 1))
  return [key.slice(to + 1) as CallerId, key.slice(from, to) as ModelId]
}

/** What callers have under way: for their limits, and so that they share a model fairly. */
export class Callers {
  readonly #accounts = new Map<CallerId, Account>()
  readonly #parked = new Map<CallerId, WaitQueue>()
  /** Callers with parked requests that may have ended one. */
  readonly #freed = new Set<CallerId>()

  /** Whether its caller has as many under way as it may. */
  isAtLimit({ caller, callerLimit }: Request): boolean {
    return callerLimit !== undefined && (this.#accounts.get(caller)?.active ?? 0) >= callerLimit
  }

  /** The request waits or is granted from here on. */
  enter({ caller, model }: Request): void {
    const account = this.#accountOf(caller)
    account.active += 1
    pairOf(account, model).present += 1
  }

  leave({ caller, model }: Request): void {
    const account = this.#accounts.get(caller)
    if (account === undefined) return
    account.active -= 1
    this.#forget(account, caller, model)
    if (this.#parked.size > 0 && this.#parked.has(caller)) this.#freed.add(caller)
  }

  park(waiter: Waiter): void {
    const { caller, model } = waiter.request
    const queue = this.#parked.get(caller) ?? new WaitQueue(byPriority)
    this.#parked.set(caller, queue)
    queue.add(waiter)
    pairOf(this.#accountOf(caller), model).present += 1
  }

  /** To be called once for each parked waiter that stopped waiting. */
  unpark({ request: { caller, model } }: Waiter): void {
    const queue = this.#parked.get(caller)
    if (queue === undefined) return
    queue.forget()
    if (queue.depth === 0) this.#parked.delete(caller)
    else this.#freed.add(caller)
    this.#forget(this.#accountOf(caller), caller, model)
  }

  /** The next parked waiter whose caller has room again; to be taken out before the next is asked for. */
  nextFreed(): Waiter | undefined {
    // Asked after every event, and mostly nobody is parked
    if (this.#freed.size === 0) return undefined
    for (const caller of this.#freed) {
      const head = this.#parked.get(caller)?.head()
      if (head !== undefined && !this.isAtLimit(head.request)) return head
      this.#freed.delete(caller)
    }
    return undefined
  }

  /** When the caller's latest request for the model counts as arrived; undefined: it has none under way. */
  lastArrivalOf({ caller, model }: Request): number | undefined {
    return this.#accounts.get(caller)?.pairs.get(model)?.lastArrival
  }

  noteArrival({ caller, model }: Request, countsFrom: number): void {
    pairOf(this.#accountOf(caller), model).lastArrival = countsFrom
  }

  /** What can not be told from the waiters and the grants, in an order of its own: a restored scheduler met them in another. */
  toJSON(): (readonly [string, number])[] {
    const told: (readonly [string, number])[] = []
    for (const [caller, { pairs }] of this.#accounts) {
      for (const [model, { lastArrival }] of pairs) {
        if (lastArrival !== undefined) told.push([pairKey(caller, model), lastArrival])
      }
    }
    return told.toSorted(([a], [b]) => (a < b ? -1 : 1))
  }

  restore(lastArrivals: readonly (readonly [string, number])[]): void {
    for (const [key, countsFrom] of lastArrivals) {
      const [caller, model] = pairIn(key)
      pairOf(this.#accountOf(caller), model).lastArrival = countsFrom
    }
  }

  #accountOf(caller: CallerId): Account {
    const known = this.#accounts.get(caller)
    if (known !== undefined) return known
    const made: Account = { active: 0, pairs: new Map() }
    this.#accounts.set(caller, made)
    return made
  }

  /** A caller that has nothing left here starts anew: what it used while nobody else wanted it is no debt. */
  #forget(account: Account, caller: CallerId, model: ModelId): void {
    const pair = account.pairs.get(model)
    if (pair === undefined) return
    pair.present -= 1
    if (pair.present > 0) return
    account.pairs.delete(model)
    if (account.pairs.size === 0) this.#accounts.delete(caller)
  }
}

const pairOf = ({ pairs }: Account, model: ModelId): Pair => {
  const known = pairs.get(model)
  if (known !== undefined) return known
  const made: Pair = { present: 0, lastArrival: undefined }
  pairs.set(model, made)
  return made
}
