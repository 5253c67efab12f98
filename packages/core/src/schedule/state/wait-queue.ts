import { Heap, type Order } from './heap.ts'
import type { Waiter } from './waiter.ts'

/** Below this many entries a heap is not worth pruning. */
const PRUNE_FLOOR = 64

/** A heap of waiters whose dead entries are dropped lazily: removal costs nothing, and never more dead than live ones stay. */
export class WaitQueue {
  readonly #heap: Heap<Waiter>
  #live = 0

  constructor(order: Order<Waiter>) {
    this.#heap = new Heap(order)
  }

  get depth(): number {
    return this.#live
  }

  add(waiter: Waiter): void {
    this.#heap.push(waiter)
    this.#live += 1
  }

  /** To be called once for each waiter that stopped waiting. */
  forget(): void {
    this.#live -= 1
    if (this.#live === 0) this.#heap.clear()
    else if (this.#heap.size > PRUNE_FLOOR && this.#heap.size > 2 * this.#live)
      this.#heap.prune((waiter) => waiter.waiting)
  }

  head(): Waiter | undefined {
    let top = this.#heap.peek()
    while (top !== undefined && !top.waiting) {
      this.#heap.pop()
      top = this.#heap.peek()
    }
    return top
  }

  /** The first `count` in order, without removing them; dead ones before them are dropped on the way. */
  first(count: number): Waiter[] {
    const found: Waiter[] = []
    while (found.length < count) {
      const next = this.head()
      if (next === undefined) break
      found.push(next)
      this.#heap.pop()
    }
    for (const waiter of found) this.#heap.push(waiter)
    return found
  }
}
