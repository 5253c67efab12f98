import type { ModelId, PlacementKey } from '../../ids.ts'

/** How many of the latest samples a median is taken over: enough to forget an outlier, few enough to follow a change. */
const SAMPLES = 9

export type MeasureKind = 'load' | 'stop' | 'service'

/** Medians of what was measured lately, in milliseconds. */
export class Measures {
  readonly #samples = new Map<string, number[]>()
  readonly #medians = new Map<string, number>()

  add(kind: MeasureKind, of: PlacementKey | ModelId, ms: number): void {
    const key = `${kind} ${of}`
    const samples = this.#samples.get(key) ?? []
    samples.push(ms)
    if (samples.length > SAMPLES) samples.shift()
    this.#samples.set(key, samples)
    const sorted = samples.toSorted((a, b) => a - b)
    this.#medians.set(key, sorted[sorted.length >> 1] as number)
  }

  /** Undefined: nothing measured yet. */
  median(kind: MeasureKind, of: PlacementKey | ModelId): number | undefined {
    return this.#medians.get(`${kind} ${of}`)
  }

  toJSON(): (readonly [string, readonly number[]])[] {
    return [...this.#samples].map(([key, samples]) => [key, [...samples]] as const)
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
