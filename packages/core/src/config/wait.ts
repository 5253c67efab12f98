/** 24 days: timers end at 24.8, and one that is longer fires at once; the rest is room for what is added on the way. */
const LONGEST_WAIT_MS = 24 * 24 * 3_600_000

/** "As good as for ever" is written as a huge number; it must not become "at once". */
export const waitMs = (seconds: number): number => Math.min(seconds * 1000, LONGEST_WAIT_MS)
