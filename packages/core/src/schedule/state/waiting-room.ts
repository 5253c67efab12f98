import type { ModelId, RequestId } from '../../ids.ts'
import { BANDS, bandOf, type Band } from '../request.ts'
import { arrivedBefore, isMoreUrgent, ranksBefore, type Waiter } from './waiter.ts'
import { WaitQueue } from './wait-queue.ts'

/** The waiters of one model. Those that take no slot have a queue of their own: full slots do not stop them. */
export interface ModelQueue {
  readonly slotted: WaitQueue
  readonly slotless: WaitQueue
  readonly byArrival: WaitQueue
  /** All of them, in the order of dispatch. */
  readonly byRank: WaitQueue
  /** All of them, as if waiting were worth nothing. */
  readonly byPriority: WaitQueue
}

/** Every queued request, indexed by model, by band and by number; adding and removing cost O(log n). */
export class WaitingRoom {
  readonly #byModel = new Map<ModelId, ModelQueue>()
  readonly #byRequest = new Map<RequestId, Waiter>()
  readonly #byBand: Record<Band, WaitQueue> = {
    urgent: new WaitQueue(arrivedBefore),
    normal: new WaitQueue(arrivedBefore),
    batch: new WaitQueue(arrivedBefore),
  }

  get depth(): number {
    return this.#byRequest.size
  }

  depthOf(model: ModelId): number {
    return this.#byModel.get(model)?.byArrival.depth ?? 0
  }

  bandDepth(band: Band): number {
    return this.#byBand[band].depth
  }

  get(request: RequestId): Waiter | undefined {
    return this.#byRequest.get(request)
  }

  queueOf(model: ModelId): ModelQueue | undefined {
    return this.#byModel.get(model)
  }

  /** Models with waiters, as they are now: to be read to the end before anything changes. */
  models(): IterableIterator<ModelId> {
    return this.#byModel.keys()
  }

  /** All waiters, in no particular order. */
  waiters(): IterableIterator<Waiter> {
    return this.#byRequest.values()
  }

  add(waiter: Waiter): void {
    const { request } = waiter
    let queue = this.#byModel.get(request.model)
    if (queue === undefined) {
      queue = {
        slotted: new WaitQueue(ranksBefore),
        slotless: new WaitQueue(ranksBefore),
        byArrival: new WaitQueue(arrivedBefore),
        byRank: new WaitQueue(ranksBefore),
        byPriority: new WaitQueue(isMoreUrgent),
      }
      this.#byModel.set(request.model, queue)
    }
    this.#byRequest.set(request.id, waiter)
    ;(request.takesSlot ? queue.slotted : queue.slotless).add(waiter)
    queue.byArrival.add(waiter)
    queue.byRank.add(waiter)
    queue.byPriority.add(waiter)
    this.#byBand[bandOf(request.priority)].add(waiter)
  }

  remove(waiter: Waiter): void {
    if (!waiter.waiting) return
    waiter.waiting = false
    const { request } = waiter
    this.#byRequest.delete(request.id)
    this.#byBand[bandOf(request.priority)].forget()
    const queue = this.#byModel.get(request.model)
    if (queue === undefined) return
    ;(request.takesSlot ? queue.slotted : queue.slotless).forget()
    queue.byArrival.forget()
    queue.byRank.forget()
    queue.byPriority.forget()
    if (queue.byArrival.depth === 0) this.#byModel.delete(request.model)
  }

  oldestOf(model: ModelId): Waiter | undefined {
    return this.#byModel.get(model)?.byArrival.head()
  }

  oldestIn(band: Band): Waiter | undefined {
    return this.#byBand[band].head()
  }

  oldest(): Waiter | undefined {
    let oldest: Waiter | undefined
    for (const band of BANDS) {
      const head = this.#byBand[band].head()
      if (head !== undefined && (oldest === undefined || head.arrival < oldest.arrival)) oldest = head
    }
    return oldest
  }
}
