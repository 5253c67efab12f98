import type { RandomSource } from '../pick/picker.ts'
import { draw, type Randomness } from '../schedule/state/random.ts'

/** The same numbers from the same seed everywhere; good enough to draw arrivals from. */
export const seededRandom = (seed: number): RandomSource => {
  const state: Randomness = { random: seed | 0 }
  return () => draw(state)
}

/** Time to the next arrival of a Poisson process. */
export const drawExponential = (random: RandomSource, mean: number): number => -mean * Math.log(1 - random())

/** A length in tokens: most short, some long. */
export const drawTokens = (random: RandomSource, mean: number): number =>
  Math.max(1, Math.round(drawExponential(random, mean)))

/** A place in a list of `count`. */
export const drawPlace = (random: RandomSource, count: number): number => Math.floor(random() * count)
