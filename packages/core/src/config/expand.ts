import { placeOfReference, problemOfVariable, REFERENCE, RESERVED, unknownMacro, variable } from './macros.ts'
import type { MacroContext, Macros, MacroValue } from './macros.ts'
import { hasSecretName } from '../redact/names.ts'
import type { Path } from './issue.ts'
import type { ScalarTree } from './tree.ts'

/** A chat template fits; an exponential chain of macros does not. */
const MAX_EXPANDED_LENGTH = 256 * 1024
/** Macros that may use one another in a row; without a bound a long file ends the stack. */
const MAX_CHAIN = 64
/** All values of a file together. */
const MAX_EXPANDED_TOTAL = 16 * 1024 * 1024

/** Where macros are looked up: the top of the file, or one model. */
export interface Scope {
  readonly macros: Macros
  readonly modelId: string | undefined
  readonly context: MacroContext
  /** By name, so that a macro that is used a thousand times is expanded once; undefined: it can not be. */
  readonly expanded: Map<string, Expanded | undefined>
  readonly spent: { length: number }
}

/** A value with the reserved macros still in it: what becomes of those is for the field to say that it stands in. */
interface Expanded {
  readonly value: MacroValue
  readonly secret: boolean
}

/** The value that is being expanded: where problems are reported, and the macros that led here. */
interface Site {
  readonly tree: ScalarTree
  readonly path: Path
  readonly chain: readonly string[]
}

export const topScope = (macros: Macros, context: MacroContext): Scope => ({
  macros,
  modelId: undefined,
  context,
  expanded: new Map(),
  spent: { length: 0 },
})

export const modelScope = (top: Scope, macros: Macros, modelId: string): Scope => ({
  ...top,
  macros,
  modelId,
  expanded: new Map(),
})

/** Expands every macro in a text but `${PORT}`, `${PID}` and `${MODEL_ID}`. Undefined: it can not be done, and that is reported. */
export const expandText = (text: string, scope: Scope, site: Site): Expanded | undefined => {
  let secret = false
  let whole: MacroValue | undefined
  let failed = false
  let out = ''
  let from = 0
  for (const match of text.matchAll(REFERENCE)) {
    const [reference, name = ''] = match
    const found = lookUp(name, reference, scope, site)
    if (found === undefined) {
      failed = true
      continue
    }
    secret ||= found.secret
    if (reference === text) whole = found.value
    out += text.slice(from, match.index) + String(found.value)
    from = match.index + reference.length
    if (out.length > MAX_EXPANDED_LENGTH) break
  }
  out += text.slice(from)
  if (failed) return undefined
  if (!withinBounds(out.length, scope, site)) return undefined
  return { value: whole ?? out, secret }
}

const withinBounds = (length: number, scope: Scope, { tree, path }: Site): boolean => {
  const { spent, context } = scope
  const exhausted = spent.length > MAX_EXPANDED_TOTAL
  spent.length += length
  const tooLong = length > MAX_EXPANDED_LENGTH
  // Once is enough: after the total is spent every further value would say the same.
  if (!exhausted && (tooLong || spent.length > MAX_EXPANDED_TOTAL)) {
    const limit = tooLong ? `${MAX_EXPANDED_LENGTH / 1024} KiB` : `${MAX_EXPANDED_TOTAL / 1024 / 1024} MiB in all`
    context.report.error({ at: tree.at, path, message: `macros make more than ${limit} of text out of this` })
  }
  return !exhausted && !tooLong && spent.length <= MAX_EXPANDED_TOTAL
}

const lookUp = (name: string, reference: string, scope: Scope, site: Site): Expanded | undefined => {
  const { context } = scope
  const at = (): number => placeOfReference(reference, site.tree, context)
  if (name.startsWith('env.')) {
    const problem = problemOfVariable(name.slice('env.'.length), context)
    // In a macro it is reported where the macro is declared.
    if (problem && site.chain.length === 0) context.report.error({ at: at(), path: site.path, ...problem })
    if (problem) return undefined
    const value = variable(name.slice('env.'.length), context) ?? ''
    if (hasSecretName(name)) context.secrets.add(value)
    return { value, secret: true }
  }
  if (RESERVED.has(name)) return { value: reference, secret: false }
  if (!scope.macros.has(name)) {
    const problem = unknownMacro(name, [...scope.macros.keys(), ...RESERVED])
    context.report.error({ at: at(), path: site.path, ...problem })
    return undefined
  }
  return expandMacro(name, scope, site)
}

const expandMacro = (name: string, scope: Scope, site: Site): Expanded | undefined => {
  if (scope.expanded.has(name)) return scope.expanded.get(name)
  const macro = scope.macros.get(name)
  if (macro === undefined || macro.broken) return undefined
  const { tree, path } = macro
  // A model's macro may stand in for one that it uses itself, by way of others.
  const loop = site.chain.slice(site.chain.indexOf(name) + 1)
  const problem = site.chain.includes(name)
    ? `the macro ${name} uses itself by way of ${loop.join(', ')}`
    : site.chain.length >= MAX_CHAIN && `more than ${MAX_CHAIN} macros use one another in a row`
  if (problem !== false) {
    scope.context.report.error({ at: tree.at, path, message: problem })
    return undefined
  }
  const value = tree.value ?? ''
  const expanded =
    typeof value === 'string'
      ? expandText(value, scope, { tree, path, chain: [...site.chain, name] })
      : { value, secret: false }
  scope.expanded.set(name, expanded)
  return expanded
}
