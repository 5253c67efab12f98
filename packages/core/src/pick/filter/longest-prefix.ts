import type { Candidate, Endpoint } from '../endpoint.ts'
import type { PrefixChain } from '../prefix/chain.ts'
import { limitFor } from '../settings.ts'
import type { Filter, FilterError } from './filter.ts'

const NOT_HELD: FilterError = { error: 'no replica within reach holds a prefix of the prompt' }

/** How many blocks of a prompt a replica is taken to hold; 0 where it is fewer than `least`. */
export const heldAt = ({ prefixes }: Endpoint, chain: PrefixChain, least: number): number =>
  prefixes?.countOf(chain, least) ?? 0

/** The shortest queue. */
export const leastWaiting = (candidates: readonly Candidate[]): number => {
  let least = Infinity
  for (const { waiting } of candidates) if (waiting < least) least = waiting
  return least
}

/**
 * Keeps the replicas that hold the longest prefix of the prompt among those whose queue is not worse than the shortest by more than
 * the threshold: a hot prefix spreads to others before its holder is swamped, and they hold it from then on.
 */
export const longestPrefix: Filter = (candidates, { chain, thresholds }) => {
  if (chain === undefined || chain.length === 0) return NOT_HELD
  const least = leastWaiting(candidates)
  let longest = 1
  let kept: Candidate[] = []
  for (const candidate of candidates) {
    if (candidate.waiting > least + limitFor(thresholds.prefixQueueThreshold, candidate.slots)) continue
    const held = heldAt(candidate.endpoint, chain, longest)
    if (held > longest) {
      longest = held
      kept = []
    }
    if (held === longest) kept.push(candidate)
  }
  return kept.length === 0 ? NOT_HELD : kept
}
