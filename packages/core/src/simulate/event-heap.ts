// What will happen, by time and then by order of being announced. Columns instead of objects: a simulation of a million
// requests passes each of them through here.

/** A kind of event and the number of what it happens to, which both mean something to the owner of the heap only. */
export interface HeapEvent {
  readonly at: number
  readonly kind: number
  readonly subject: number
}

export class EventHeap {
  #room = 256
  #size = 0
  #announced = 0
  #at = new Float64Array(this.#room)
  #order = new Float64Array(this.#room)
  #kind = new Uint8Array(this.#room)
  #subject = new Float64Array(this.#room)

  /** When the next one happens; infinity: nothing will. */
  get nextAt(): number {
    return this.#size === 0 ? Infinity : (this.#at[0] as number)
  }

  push({ at, kind, subject }: HeapEvent): void {
    if (this.#size === this.#room) this.#grow()
    let place = this.#size
    this.#size += 1
    const order = this.#announced
    this.#announced += 1
    while (place > 0) {
      const parent = (place - 1) >> 1
      // Announced last, it goes up past later times only
      if ((this.#at[parent] as number) <= at) break
      this.#move(parent, place)
      place = parent
    }
    this.#at[place] = at
    this.#order[place] = order
    this.#kind[place] = kind
    this.#subject[place] = subject
  }

  pop(): HeapEvent {
    if (this.#size === 0) throw new Error('nothing is announced')
    const first = { at: this.#at[0] as number, kind: this.#kind[0] as number, subject: this.#subject[0] as number }
    this.#size -= 1
    if (this.#size > 0) this.#sink(this.#size)
    return first
  }

  /** Puts the entry at `last` where the first one was, and lets it sink to its place. */
  #sink(last: number): void {
    const half = this.#size >> 1
    let place = 0
    while (place < half) {
      let child = 2 * place + 1
      if (child + 1 < this.#size && this.#isBefore(child + 1, child)) child += 1
      if (!this.#isBefore(child, last)) break
      this.#move(child, place)
      place = child
    }
    this.#move(last, place)
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#at[a] as number) - (this.#at[b] as number)
    return difference === 0 ? (this.#order[a] as number) < (this.#order[b] as number) : difference < 0
  }

  #move(from: number, to: number): void {
    this.#at[to] = this.#at[from] as number
    this.#order[to] = this.#order[from] as number
    this.#kind[to] = this.#kind[from] as number
    this.#subject[to] = this.#subject[from] as number
  }

  #grow(): void {
    this.#room *= 2
    const [at, order, kind, subject] = [this.#at, this.#order, this.#kind, this.#subject]
    this.#at = new Float64Array(this.#room)
    this.#order = new Float64Array(this.#room)
    this.#kind = new Uint8Array(this.#room)
    this.#subject = new Float64Array(this.#room)
    this.#at.set(at)
    this.#order.set(order)
    this.#kind.set(kind)
    this.#subject.set(subject)
  }
}
