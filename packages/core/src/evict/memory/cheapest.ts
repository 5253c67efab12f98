/** Up to this many candidates the search is exact: 2^16 subsets at worst, far fewer with the bound. */
const EXACT = 16

export interface Candidate<Item> {
  readonly item: Item
  readonly cost: number
}

/**
 * The cheapest subset whose removal makes room, in the order given; undefined: not even all of them do. `fits` must be
 * monotone: what makes room still does with more removed. Beyond {@link EXACT} candidates the dearest are first
 * spared one by one, which is good and not always the best.
 */
export const cheapestRemoval = <Item>(
  candidates: readonly Candidate<Item>[],
  fits: (removed: ReadonlySet<Item>) => boolean,
): Item[] | undefined => {
  const all = new Set(candidates.map(({ item }) => item))
  if (!fits(all)) return undefined
  const best = candidates.length <= EXACT ? exact(candidates, fits) : spared(candidates, fits)
  return candidates.filter(({ item }) => best.has(item)).map(({ item }) => item)
}

const exact = <Item>(
  candidates: readonly Candidate<Item>[],
  fits: (removed: ReadonlySet<Item>) => boolean,
): ReadonlySet<Item> => {
  let best: ReadonlySet<Item> = new Set(candidates.map(({ item }) => item))
  let bestCost = candidates.reduce((sum, { cost }) => sum + cost, 0)
  const removed = new Set<Item>()
  const search = (at: number, cost: number): void => {
    if (cost > bestCost || (cost === bestCost && removed.size >= best.size)) return
    if (fits(removed)) {
      best = new Set(removed)
      bestCost = cost
      return
    }
    const next = candidates[at]
    if (next === undefined) return
    removed.add(next.item)
    search(at + 1, cost + next.cost)
    removed.delete(next.item)
    search(at + 1, cost)
  }
  search(0, 0)
  return best
}

const spared = <Item>(
  candidates: readonly Candidate<Item>[],
  fits: (removed: ReadonlySet<Item>) => boolean,
): ReadonlySet<Item> => {
  const removed = new Set(candidates.map(({ item }) => item))
  for (const { item } of candidates.toSorted((a, b) => b.cost - a.cost)) {
    removed.delete(item)
    if (!fits(removed)) removed.add(item)
  }
  return removed
}
