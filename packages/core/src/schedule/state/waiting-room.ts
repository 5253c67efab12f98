import type { ModelId, RequestId } from '../../ids.ts'
import { BANDS, bandOf, type Band } from '../request.ts'
import { Callers } from './callers.ts'
import { byArrival, byPriority, byRank, type Waiter } from './waiter.ts'
import { WaitQueue } from './wait-queue.ts'

/** The waiters of one model that are in the order. Those that take no slot have a queue of their own: full slots do not stop them. */
export interface ModelQueue {
  readonly slotted: WaitQueue
  readonly slotless: WaitQueue
  /** Of those with a slot the ones that are never held back for lack of capacity. */
  readonly critical: WaitQueue
  readonly byArrival: WaitQueue
  /** All of them, as if waiting were worth nothing. */
  readonly byPriority: WaitQueue
}

interface Room extends ModelQueue {
  /** Those outside the order, by arrival. */
  readonly parked: WaitQueue
}

const newRoom = (): Room => ({
  slotted: new WaitQueue(byRank),
  slotless: new WaitQueue(byRank),
  critical: new WaitQueue(byRank),
  byArrival: new WaitQueue(byArrival),
  byPriority: new WaitQueue(byPriority),
  parked: new WaitQueue(byArrival),
})

/** Calls `act` with each queue that a waiter is in. */
const inQueues = (room: Room, { parked, request }: Waiter, act: (queue: WaitQueue) => void): void => {
  if (parked) return act(room.parked)
  act(room.byArrival)
  act(room.byPriority)
  if (!request.takesSlot) return act(room.slotless)
  act(room.slotted)
  if (request.criticality === 'critical') act(room.critical)
}

/** Every queued request, indexed by model, by band, by caller and by number; adding and removing cost O(log n). */
export class WaitingRoom {
  readonly callers = new Callers()
  /** Of models with waiters. */
  readonly #byModel = new Map<ModelId, Room>()
  /** Of every model that had some: a loaded one fills and empties its room with each request. */
  readonly #rooms = new Map<ModelId, Room>()
  readonly #byRequest = new Map<RequestId, Waiter>()
  readonly #byBand: Record<Band, WaitQueue> = {
    urgent: new WaitQueue(byArrival),
    normal: new WaitQueue(byArrival),
    batch: new WaitQueue(byArrival),
  }

  get depth(): number {
    return this.#byRequest.size
  }

  /** All waiters of a model, parked ones too. */
  depthOf(model: ModelId): number {
    const room = this.#byModel.get(model)
    return room === undefined ? 0 : room.byArrival.depth + room.parked.depth
  }

  /** Whether somebody waits for the model who would use it at once; parked ones would not. */
  isWanted(model: ModelId): boolean {
    return (this.#byModel.get(model)?.byArrival.depth ?? 0) > 0
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
    let room = this.#byModel.get(request.model)
    if (room === undefined) {
      room = this.#rooms.get(request.model) ?? newRoom()
      this.#rooms.set(request.model, room)
      this.#byModel.set(request.model, room)
    }
    if (waiter.parked) this.callers.park(waiter)
    else this.callers.enter(request)
    this.#byRequest.set(request.id, waiter)
    inQueues(room, waiter, (queue) => queue.add(waiter))
    this.#byBand[bandOf(request.priority)].add(waiter)
  }

  remove(waiter: Waiter): void {
    if (!waiter.waiting) return
    waiter.waiting = false
    const { request } = waiter
    if (waiter.parked) this.callers.unpark(waiter)
    else this.callers.leave(request)
    this.#byRequest.delete(request.id)
    this.#byBand[bandOf(request.priority)].forget()
    const room = this.#byModel.get(request.model)
    if (room === undefined) return
    inQueues(room, waiter, (queue) => queue.forget())
    if (room.byArrival.depth + room.parked.depth === 0) this.#byModel.delete(request.model)
  }

  /** Gives a waiter another place; its caller is never seen without it. */
  replace(waiter: Waiter, changed: Waiter): void {
    this.callers.enter(waiter.request)
    this.remove(waiter)
    this.add(changed)
    this.callers.leave(waiter.request)
  }

  /** The oldest of those in the order. */
  oldestOf(model: ModelId): Waiter | undefined {
    return this.#byModel.get(model)?.byArrival.head()
  }

  /** All waiters of a model by arrival, parked ones too. */
  allOf(model: ModelId): Waiter[] {
    const room = this.#byModel.get(model)
    if (room === undefined) return []
    return [...room.byArrival.first(Infinity), ...room.parked.first(Infinity)].toSorted((a, b) => a.arrival - b.arrival)
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
