import type { ModelId, PlacementKey } from '../../ids.ts'

/** How many of the latest samples a median is taken over: enough to forget an outlier, few enough to follow a change. */
const SAMPLES = 9

export type MeasureKind = 'load' | 'stop' | 'service'

interface Samples {
  readonly latest: number[]
  median: number
}

const KINDS: readonly MeasureKind[] = ['load', 'stop', 'service']

/** Medians of what was measured lately, in milliseconds. */
export class Measures {
  // A map for each kind: medians are asked for at every decision, and a joined key would be built each time
  readonly #of: Readonly<Record<MeasureKind, Map<string, Samples>>> = {
    load: new Map(),
    stop: new Map(),
    service: new Map(),
  }

  add(kind: MeasureKind, of: PlacementKey | ModelId, ms: number): void {
    const samples = this.#of[kind].get(of) ?? { latest: [], median: ms }
    samples.latest.push(ms)
    if (samples.latest.length > SAMPLES) samples.latest.shift()
    const sorted = samples.latest.toSorted((a, b) => a - b)
    samples.median = sorted[sorted.length >> 1] as number
    this.#of[kind].set(of, samples)
  }

  /** Undefined: nothing measured yet. */
  median(kind: MeasureKind, of: PlacementKey | ModelId): number | undefined {
    return this.#of[kind].get(of)?.median
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
}
