/** The middle one; of an even number the mean of the two in the middle. */
export function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** With the least and the greatest, since few rounds have no meaningful percentiles. */
export const spread = (values) => ({ median: median(values), min: Math.min(...values), max: Math.max(...values) })
