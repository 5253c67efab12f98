import type { Candidate } from '../endpoint.ts'
import type { Filter } from './filter.ts'

/**
 * Prefers replicas that have the adapter loaded over those with room for it. Rarely the draw sends a request to the
 * others, so that a hot adapter spreads. It draws only where there is something to choose, and an endpoint over its
 * maximum still has the adapter.
 */
export const loraAffinity: Filter = (candidates, { target, thresholds, random }) => {
  const affinity: Candidate[] = []
  const available: Candidate[] = []
  for (const candidate of candidates) {
    const { activeAdapters, maxAdapters } = candidate
    if (activeAdapters.includes(target)) affinity.push(candidate)
    else if (activeAdapters.length < maxAdapters) available.push(candidate)
  }
  if (affinity.length === 0) return available
  if (available.length === 0) return affinity
  return random() < thresholds.loraAffinityThreshold ? affinity : available
}
