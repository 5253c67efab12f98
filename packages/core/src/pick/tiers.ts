import type { Candidate } from './endpoint.ts'

/** Candidates that are tried together, and what sets them apart. */
export interface Tier {
  readonly name: 'sampled' | 'unsampled' | 'stale'
  readonly candidates: readonly Candidate[]
}

const leastOwn = (candidates: readonly Candidate[]): number => {
  let least = Infinity
  for (const { sample, inFlight } of candidates) {
    if (sample === 'fresh' && inFlight < least) least = inFlight
  }
  return least
}

/**
 * Groups the candidates by how far their metrics can be trusted; a later tier serves only when no earlier one can.
 * An endpoint without a sample is in the first tier while it has fewer own requests than every sampled one: else it
 * stands behind them. Old samples are a back-up, since an engine that does not answer is probably busy.
 */
export const tiersOf = (candidates: readonly Candidate[]): readonly Tier[] => {
  const first = candidates[0]?.sample ?? 'fresh'
  const name = first === 'stale' ? 'stale' : 'sampled'
  if (candidates.every(({ sample }) => sample === first)) return [{ name, candidates }]

  const least = leastOwn(candidates)
  const sampled: Candidate[] = []
  const unsampled: Candidate[] = []
  const stale: Candidate[] = []
  for (const candidate of candidates) {
    const { sample, inFlight } = candidate
    if (sample === 'stale') stale.push(candidate)
    else if (sample === 'fresh' || inFlight < least) sampled.push(candidate)
    else unsampled.push(candidate)
  }
  const tiers: Tier[] = [
    { name: 'sampled', candidates: sampled },
    { name: 'unsampled', candidates: unsampled },
    { name: 'stale', candidates: stale },
  ]
  return tiers.filter((tier) => tier.candidates.length > 0)
}
