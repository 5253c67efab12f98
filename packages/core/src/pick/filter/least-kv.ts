import type { Filter } from './filter.ts'

/** As the least queue, over KV cache use and in doubles: the order of operations decides ties at the bound, keep it. */
export const leastKv: Filter = (candidates) => {
  let min = Number.MAX_VALUE
  let max = 0
  for (const { kv } of candidates) {
    if (kv <= min) min = kv
    if (kv >= max) max = kv
  }
  const bound = min + (max - min) / candidates.length
  return candidates.filter(({ kv }) => kv >= min && kv <= bound)
}
