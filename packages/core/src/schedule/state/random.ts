/** Where the source of random numbers stands: part of the state, so that a scheduler restored from a snapshot draws the same. */
export interface Randomness {
  random: number
}

/** The next number from 0 up to but not including 1 (mulberry32). */
export const draw = (of: Randomness): number => {
  of.random = (of.random + 0x6d2b79f5) | 0
  let mixed = Math.imul(of.random ^ (of.random >>> 15), 1 | of.random)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
