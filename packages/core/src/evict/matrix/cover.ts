import type { ModelId } from '../../ids.ts'
import type { Expression } from './expression.ts'

/**
 * A bound on the alternatives kept per node. It takes a dozen running models that exclude each other pairwise to
 * reach it, which no sequence of swaps produces; then the first ones in definition order are compared.
 */
const MOST = 4_096

/**
 * Which of the models in question an expansion can hold at once, as bit masks. Only maximal ones are kept, in
 * definition order: what matters of an expansion is which running models it spares, and those are few, however
 * many expansions there are.
 */
export const covers = (expression: Expression, bitOf: ReadonlyMap<ModelId, bigint>): bigint[] => {
  switch (expression.type) {
    case 'model':
      return [bitOf.get(expression.model) ?? 0n]
    case 'either':
      return maximal(expression.parts.flatMap((part) => covers(part, bitOf)))
    case 'together': {
      let joined = [0n]
      for (const part of expression.parts) {
        const more = covers(part, bitOf)
        joined = maximal(joined.flatMap((mask) => more.map((other) => mask | other)))
      }
      return joined
    }
    default:
      return expression satisfies never
  }
}

/** Drops what another mask contains; of equal ones the first stays. */
const maximal = (masks: readonly bigint[]): bigint[] => {
  if (masks.length < 2) return [...masks]
  const kept: bigint[] = []
  for (const mask of masks) {
    if (kept.some((other) => (mask & other) === mask)) continue
    const rest = kept.filter((other) => (other & mask) !== other)
    rest.push(mask)
    kept.splice(0, kept.length, ...rest)
  }
  return kept.slice(0, MOST)
}
