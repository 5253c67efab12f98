/** Longer words are never a slip of the finger for a key. */
const MAX_LENGTH = 64

/**
 * The candidate that was probably meant: at most a third of its letters differ (3 at most), where case, `_` and `-`
 * do not count. The first of equals wins.
 */
export const nearest = (given: string, candidates: Iterable<string>): string | undefined => {
  if (given.length > MAX_LENGTH) return undefined
  const word = fold(given)
  let best: { readonly candidate: string; readonly distance: number } | undefined
  for (const candidate of candidates) {
    if (candidate === given || candidate.length > MAX_LENGTH) continue
    const other = fold(candidate)
    const limit = Math.min(3, Math.floor(Math.max(word.length, other.length) / 3))
    if (Math.abs(word.length - other.length) > limit) continue
    const distance = editDistance(word, other)
    if (distance <= limit && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

const fold = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, '')

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}
