import type { ModelId, PlacementKey } from '../../ids.ts'

/** How many of the latest samples count: enough to forget an outlier, few enough to follow a change. */
const SAMPLES = 21

export type MeasureKind = 'load' | 'stop' | 'service'

/** The latest ones. Every end of a request adds one, so nothing is made for it, and they are kept in ascending order too. */
class Samples {
  readonly #latest = new Float64Array(SAMPLES)
  readonly #sorted = new Float64Array(SAMPLES)
  /** Where the next one goes: the place of the oldest, once all are taken. */
  #next = 0
  #count = 0

  get count(): number {
    return this.#count
  }

  add(ms: number): void {
    const sorted = this.#sorted
    let place: number
    if (this.#count < SAMPLES) {
      place = this.#count
      this.#count += 1
    } else {
      place = sorted.indexOf(this.#latest[this.#next] as number)
    }
    this.#latest[this.#next] = ms
    this.#next = (this.#next + 1) % SAMPLES
    // The free place moves to where the new one belongs
    for (; place > 0 && (sorted[place - 1] as number) > ms; place -= 1) sorted[place] = sorted[place - 1] as number
    for (; place + 1 < this.#count && (sorted[place + 1] as number) < ms; place += 1) {
      sorted[place] = sorted[place + 1] as number
    }
    sorted[place] = ms
  }

  /** The `at`th in ascending order. */
  sorted(at: number): number | undefined {
    return at < this.#count ? this.#sorted[at] : undefined
  }

  /** The oldest first. */
  latest(): number[] {
    const from = this.#count < SAMPLES ? 0 : this.#next
    return Array.from({ length: this.#count }, (_, at) => this.#latest[(from + at) % SAMPLES] as number)
  }
}

const KINDS: readonly MeasureKind[] = ['load', 'stop', 'service']

/** Quantiles of what was measured lately, in milliseconds. */
export class Measures {
  // A map for each kind: medians are asked for at every decision, and a joined key would be built each time
  readonly #of: Readonly<Record<MeasureKind, Map<string, Samples>>> = {
    load: new Map(),
    stop: new Map(),
    service: new Map(),
  }

  add(kind: MeasureKind, of: PlacementKey | ModelId, ms: number): void {
    this.#samplesOf(kind, of).add(ms)
  }

  /** Undefined: nothing measured yet. */
  median(kind: MeasureKind, of: PlacementKey | ModelId): number | undefined {
    return this.quantile(kind, of, 0.5)
  }

  /** The sample that a share `q` of the others does not exceed; undefined: nothing measured yet. */
  quantile(kind: MeasureKind, of: PlacementKey | ModelId, q: number): number | undefined {
    const samples = this.#of[kind].get(of)
    if (samples === undefined) return undefined
    return samples.sorted(Math.min(samples.count - 1, Math.floor(samples.count * q)))
  }

  /** How many samples the quantiles rest on. */
  count(kind: MeasureKind, of: PlacementKey | ModelId): number {
    return this.#of[kind].get(of)?.count ?? 0
  }

  toJSON(): (readonly [string, readonly number[]])[] {
    return KINDS.flatMap((kind) =>
      [...this.#of[kind]].map(([of, samples]) => [`${kind} ${of}`, samples.latest()] as const),
    )
  }

  static restore(saved: readonly (readonly [string, readonly number[]])[]): Measures {
    const measures = new Measures()
    for (const [key, samples] of saved) {
      const at = key.indexOf(' ')
      for (const ms of samples) measures.add(key.slice(0, at) as MeasureKind, key.slice(at + 1) as ModelId, ms)
    }
    return measures
  }

  #samplesOf(kind: MeasureKind, of: string): Samples {
    const known = this.#of[kind].get(of)
    if (known !== undefined) return known
    const made = new Samples()
    this.#of[kind].set(of, made)
    return made
  }
}
