import type { ModelId } from '../../ids.ts'

/** A set expression: what may run together. Includes are resolved while parsing, so that a tree stands for itself. */
export type Expression =
  | { readonly type: 'model'; readonly model: ModelId }
  /** All parts at once. */
  | { readonly type: 'together'; readonly parts: readonly Expression[] }
  /** One of the parts. */
  | { readonly type: 'either'; readonly parts: readonly Expression[] }

/** Something wrong in an expression; `at` counts characters from 0. */
export interface ExpressionError {
  readonly at: number
  readonly message: string
  /** The name that nobody knows, for a "did you mean". */
  readonly unknownName?: string
  /** Told to the set that closes the circle: no set has it as its own. */
  readonly isCircle?: boolean
  /** It is the mistake of an included set, which has it too. */
  readonly isIncluded?: boolean
}

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ExpressionError }

/** All models that an expression names. */
export const modelsOf = (expression: Expression, found = new Set<ModelId>()): Set<ModelId> => {
  if (expression.type === 'model') found.add(expression.model)
  else for (const part of expression.parts) modelsOf(part, found)
  return found
}
