/** A binary heap; `before(a, b)` says whether `a` leaves first. A strict total order makes it deterministic. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #before: (a: T, b: T) => boolean

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent] as T
      if (!this.#before(item, above)) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const top = items[0]
    const last = items.pop()
    if (items.length === 0 || last === undefined) return top
    const half = items.length >> 1
    let at = 0
    while (at < half) {
      let child = 2 * at + 1
      const right = child + 1
      if (right < items.length && this.#before(items[right] as T, items[child] as T)) child = right
      const below = items[child] as T
      if (!this.#before(below, last)) break
      items[at] = below
      at = child
    }
    items[at] = last
    return top
  }

  /** Drops everything, and keeps the room for as much: setting the length is a slow call, and this one is frequent. */
  clear(): void {
    while (this.#items.length > 0) this.#items.pop()
  }

  /** Takes everything out, in no particular order. */
  drain(): T[] {
    return this.#items.splice(0)
  }

  /** Drops what `keep` refuses, in O(n). */
  prune(keep: (item: T) => boolean): void {
    const kept = this.#items.filter((item) => keep(item))
    this.#items.length = 0
    for (const item of kept) this.push(item)
  }
}
