/**
 * A map whose deleted values are garbage at once. V8's own keeps them: when a map is rehashed, its old table goes on holding
 * what was in it, and refers to the new one. Once such a table is in the old generation, so is all that comes after it until
 * the next full collection: with requests that come and go, every request with its sockets and buffers.
 */
export class ForgettingMap<Key, Value> {
  readonly #boxes = new Map<Key, { value: Value | undefined }>()

  get size(): number {
    return this.#boxes.size
  }

  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    this.#boxes.set(key, { value })
  }

  delete(key: Key): boolean {
    const box = this.#boxes.get(key)
    if (box === undefined) return false
    box.value = undefined
    return this.#boxes.delete(key)
  }

  /** In the order of their coming. */
  values(): Value[] {
    return [...this.#boxes.values()].flatMap(({ value }) => (value === undefined ? [] : [value]))
  }
}
