import type { Candidate } from '../endpoint.ts'
import type { RandomSource } from '../picker.ts'
import type { PrefixChain } from '../prefix/chain.ts'
import type { Thresholds } from '../settings.ts'

/** What filters know besides the candidates. */
export interface FilterContext {
  readonly critical: boolean
  /** The adapter that the request is for, else its model. */
  readonly target: string
  /** Of the prompt, where it is known. */
  readonly chain?: PrefixChain | undefined
  readonly thresholds: Thresholds
  /** Called only by a filter that has something to decide by chance. */
  readonly random: RandomSource
}

export interface FilterError {
  readonly error: string
}

/** The candidates that remain, in the order they came; none at all is a failure even without an error. */
export type FilterResult = readonly Candidate[] | FilterError

export type Filter = (candidates: readonly Candidate[], context: FilterContext) => FilterResult

export const NO_ENDPOINT_LEFT: FilterError = { error: 'no endpoint left' }

/** The candidates that pass; when all do, the list itself, so that a filter without effect costs no copy. */
export const keepWhere = (
  candidates: readonly Candidate[],
  passes: (candidate: Candidate) => boolean,
): FilterResult => {
  const kept = candidates.filter(passes)
  if (kept.length === 0) return NO_ENDPOINT_LEFT
  return kept.length === candidates.length ? candidates : kept
}
