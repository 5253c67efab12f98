/** Nearest rank: the smallest value that this share of all does not exceed. */
export const rank = (values, share) => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN
}

export const spread = (values) => ({
  n: values.length,
  median: rank(values, 0.5),
  p95: rank(values, 0.95),
  p99: rank(values, 0.99),
  max: rank(values, 1),
})

export const told = ({ n, median, p95, p99, max }) =>
  `median ${median.toFixed(1)}, p95 ${p95.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${max.toFixed(1)} ms of ${n}`
