import type { Path, Report } from './issue.ts'
import { entriesOf } from './tree.ts'
import type { Entry, ScalarTree, Tree } from './tree.ts'

export type MacroValue = string | number | boolean

/** A macro as declared. */
export interface Macro {
  readonly name: string
  readonly tree: ScalarTree
  readonly path: Path
  /** Reported already; what uses it fails without another message. */
  readonly broken: boolean
}

export type Macros = ReadonlyMap<string, Macro>

export interface MacroContext {
  readonly report: Report
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file's text, to point at the reference and not only at the value that holds it. */
  readonly text: string
  /** Filled with the values of variables whose names say that they are secrets. */
  readonly secrets: Set<string>
}

/** `${NAME}` and `${env.NAME}`. Anything else in `${…}` is text, as in llama-swap: a shell inside of a command may want it. */
export const REFERENCE = /\$\{(env\.[^{}]*|[A-Za-z0-9_-]+)\}/g

/** Filled in by lswap; `${PORT}` and `${PID}` only when a process starts. */
export const RESERVED: ReadonlySet<string> = new Set(['PORT', 'PID', 'MODEL_ID'])

const NAME = /^[A-Za-z0-9_-]{1,63}$/

/** Reads a `macros` map. A macro may use what stands before it, and every macro of `outer`; the inner one of a name wins. */
export const declareMacros = (
  tree: Tree | undefined,
  place: { readonly path: Path; readonly outer: Macros },
  context: MacroContext,
): Macros => {
  const own = new Map<string, Macro>()
  const entries = entriesOf(tree)
  for (const [name, entry] of entries) {
    const path = [...place.path, name]
    const scalar: ScalarTree =
      entry.value.kind === 'scalar'
        ? entry.value
        : { kind: 'scalar', value: null, source: '', plain: true, at: entry.value.at, end: entry.value.at }
    // A value of another type is for the schema to report.
    const isValue = scalar.value !== null && !scalar.broken
    const named = checkName(name, entry, path, context.report)
    const references = isValue && typeof scalar.value === 'string' ? [...scalar.value.matchAll(REFERENCE)] : []
    const unknown = references.filter(([reference, used]) => {
      const problem =
        used === undefined ? undefined : problemOf(used, { name, own, entries, outer: place.outer }, context)
      if (problem) context.report.error({ at: placeOfReference(reference, scalar, context), path, ...problem })
      return problem !== undefined
    })
    own.set(name, { name, tree: scalar, path, broken: !named || !isValue || unknown.length > 0 })
  }
  return new Map([...place.outer, ...own])
}

const checkName = (name: string, entry: Entry, path: Path, report: Report): boolean => {
  const message = RESERVED.has(name)
    ? `the macro ${name} is filled in by lswap and can not be declared`
    : `a macro's name has letters, digits, _ and -, at most 63`
  const valid = NAME.test(name) && !RESERVED.has(name)
  if (!valid) report.error({ at: entry.keyAt, path, message })
  return valid
}

interface Declaration {
  readonly name: string
  readonly own: ReadonlyMap<string, Macro>
  readonly entries: ReadonlyMap<string, Entry>
  readonly outer: Macros
}

type Problem = {
  readonly message: string
  readonly meant?: { readonly given: string; readonly valid: Iterable<string> }
}

const problemOf = (used: string, declaration: Declaration, context: MacroContext): Problem | undefined => {
  if (used.startsWith('env.')) return problemOfVariable(used.slice('env.'.length), context)
  if (RESERVED.has(used)) return undefined
  const { name, own, entries, outer } = declaration
  if (used === name) return { message: `the macro ${name} uses itself` }
  if (own.has(used) || outer.has(used)) return undefined
  if (entries.has(used))
    return { message: `the macro ${used} is declared further down; a macro may use those before it` }
  return unknownMacro(used, [...outer.keys(), ...own.keys()])
}

export const unknownMacro = (used: string, valid: Iterable<string>): Problem => ({
  message: `unknown macro \${${used}}`,
  meant: { given: used, valid },
})

/** A variable of the environment; what the object inherits is none. */
export const variable = (name: string, context: MacroContext): string | undefined =>
  Object.hasOwn(context.env, name) ? context.env[name] : undefined

export const problemOfVariable = (name: string, context: MacroContext): Problem | undefined =>
  variable(name, context) === undefined ? { message: `the environment variable ${name} is not set` } : undefined

/** Where a reference stands in the file; in a quoted value with escapes perhaps only where the value begins. */
export const placeOfReference = (reference: string, tree: ScalarTree, context: MacroContext): number => {
  const found = context.text.indexOf(reference, tree.at)
  return found !== -1 && found < tree.end ? found : tree.at
}
