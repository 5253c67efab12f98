import type { ModelId } from '../../ids.ts'
import type { Expression } from './expression.ts'

/**
 * A bound on the alternatives kept per node. It takes a dozen running models that exclude each other pairwise to
 * reach it, which no sequence of swaps produces; then the first ones in definition order are compared.
 */
const MOST = 4_096

/** Of a part that names no model in question. Most parts are of this kind, so it is shared and passed over by identity. */
const NONE: readonly bigint[] = [0n]

/**
 * Which of the models in question an expansion can hold at once, as bit masks. Only maximal ones are kept, in
 * definition order: what matters of an expansion is which running models it spares, and those are few, however
 * many expansions there are.
 */
export const covers = (expression: Expression, bitOf: ReadonlyMap<ModelId, bigint>): readonly bigint[] => {
  switch (expression.type) {
    case 'model': {
      const bit = bitOf.get(expression.model)
      return bit === undefined ? NONE : [bit]
    }
    case 'either': {
      let found = NONE
      for (const part of expression.parts) {
        const more = covers(part, bitOf)
        if (more !== NONE) found = found === NONE ? more : maximal([...found, ...more])
      }
      return found
    }
    case 'together': {
      let joined = NONE
      for (const part of expression.parts) {
        const more = covers(part, bitOf)
        if (more !== NONE) joined = joined === NONE ? more : product(joined, more)
      }
      return joined
    }
    default:
      return expression satisfies never
  }
}

const product = (masks: readonly bigint[], others: readonly bigint[]): bigint[] =>
  maximal(masks.flatMap((mask) => others.map((other) => mask | other)))

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
