import type { RandomSource } from '../pick/picker.ts'

/** Mulberry32: 32 bits of state, the same numbers from the same seed everywhere; good enough to draw arrivals from. */
export const seededRandom = (seed: number): RandomSource => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Time to the next arrival of a Poisson process. */
export const drawExponential = (random: RandomSource, mean: number): number => -mean * Math.log(1 - random())

/** A length in tokens: most short, some long. */
export const drawTokens = (random: RandomSource, mean: number): number =>
  Math.max(1, Math.round(drawExponential(random, mean)))

/** A place in a list of `count`. */
export const drawPlace = (random: RandomSource, count: number): number => Math.floor(random() * count)
