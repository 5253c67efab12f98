import type { ModelId, PlacementKey } from '../../ids.ts'

/** How many of the latest samples count: enough to forget an outlier, few enough to follow a change. */
const SAMPLES = 21

export type MeasureKind = 'load' | 'stop' | 'service'

interface Samples {
  readonly latest: number[]
  /** The same in ascending order, kept so because every end of a request adds one. */
  readonly sorted: number[]
}

const insert = (sorted: number[], ms: number): void => {
  let place = sorted.length
  while (place > 0 && (sorted[place - 1] as number) > ms) place -= 1
  sorted.splice(place, 0, ms)
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
    const { latest, sorted } = this.#samplesOf(kind, of)
    latest.push(ms)
    insert(sorted, ms)
    if (latest.length > SAMPLES) sorted.splice(sorted.indexOf(latest.shift() as number), 1)
  }

  /** Undefined: nothing measured yet. */
  median(kind: MeasureKind, of: PlacementKey | ModelId): number | undefined {
    return this.quantile(kind, of, 0.5)
  }

  /** The sample that a share `q` of the others does not exceed; undefined: nothing measured yet. */
  quantile(kind: MeasureKind, of: PlacementKey | ModelId, q: number): number | undefined {
    const sorted = this.#of[kind].get(of)?.sorted
    return sorted?.[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]
  }

  /** How many samples the quantiles rest on. */
  count(kind: MeasureKind, of: PlacementKey | ModelId): number {
    return this.#of[kind].get(of)?.sorted.length ?? 0
  }

  toJSON(): (readonly [string, readonly number[]])[] {
    return KINDS.flatMap((kind) =>
      [...this.#of[kind]].map(([of, { latest }]) => [`${kind} ${of}`, [...latest]] as const),
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
    const made: Samples = { latest: [], sorted: [] }
    this.#of[kind].set(of, made)
    return made
  }
}
