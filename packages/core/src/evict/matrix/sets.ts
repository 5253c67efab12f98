import type { ModelId } from '../../ids.ts'
import type { Expression, ExpressionError, Parsed } from './expression.ts'
import { parseExpression } from './parse.ts'

/** One named set, parsed. */
export interface MatrixSet {
  readonly name: string
  readonly expression: Expression
}

export interface SetSources {
  /** Set name → expression text, in definition order. */
  readonly sets: ReadonlyMap<string, string>
  /** The model that a name in an expression stands for. */
  readonly model: (name: string) => ModelId | undefined
}

export type SetsReading =
  | { readonly ok: true; readonly sets: readonly MatrixSet[] }
  | { readonly ok: false; readonly errors: readonly (ExpressionError & { readonly set: string })[] }

/** Parses every set; includes may point forward, never in a circle. All errors are listed. */
export const parseSets = ({ sets, model }: SetSources): SetsReading => {
  const done = new Map<string, Parsed<Expression>>()
  const path: string[] = []
  const resolve = (name: string): Parsed<Expression> | undefined => {
    const text = sets.get(name)
    if (text === undefined) return undefined
    const known = done.get(name)
    if (known !== undefined) return known
    if (path.includes(name)) {
      const circle = [...path.slice(path.indexOf(name)), name].join(' → ')
      return { ok: false, error: { at: 0, message: `sets include each other in a circle: ${circle}`, isCircle: true } }
    }
    path.push(name)
    const parsed = parseExpression(text, { model, include: resolve })
    path.pop()
    done.set(name, parsed)
    return parsed
  }
  const good: MatrixSet[] = []
  const errors: (ExpressionError & { set: string })[] = []
  for (const name of sets.keys()) {
    const parsed = resolve(name)
    if (parsed?.ok === true) good.push({ name, expression: parsed.value })
    else if (parsed !== undefined) errors.push({ ...parsed.error, set: name })
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, sets: good }
}
