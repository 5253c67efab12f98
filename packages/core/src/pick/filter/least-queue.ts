import type { Filter } from './filter.ts'

/**
 * Keeps the first 1/n of the range of queue lengths, not only the shortest: equal enough queues leave the choice to
 * later filters. The width is an integer division.
 */
export const leastQueue: Filter = (candidates) => {
  let min = Number.MAX_SAFE_INTEGER
  let max = 0
  for (const { waiting } of candidates) {
    if (waiting <= min) min = waiting
    if (waiting >= max) max = waiting
  }
  const bound = min + Math.trunc((max - min) / candidates.length)
  return candidates.filter(({ waiting }) => waiting >= min && waiting <= bound)
}
