import * as z from 'zod'
import type { Path, Report } from './issue.ts'
import { UNUSED } from './schema-kinds.ts'
import { describe, isNothing } from './tree.ts'
import type { ListTree, MapTree, ScalarTree, Tree } from './tree.ts'
import { missingBlank } from './yaml-slip.ts'

/**
 * Holds a tree against a schema, key by key instead of with one `parse`, so that one mistake hides no other, each
 * keeps its place in the file, and what is valid can be checked further. Returns the valid part; a value with a
 * mistake, and one without content (`ttl:`), is left out like a missing one.
 */
export const check = <S extends z.ZodType>(
  schema: S,
  tree: Tree,
  context: { readonly path: Path; readonly report: Report },
): z.output<S> | undefined => walk(schema, tree, context.path, context.report) as z.output<S> | undefined

const walk = (schema: z.core.$ZodType, tree: Tree, path: Path, report: Report): unknown => {
  if (schema instanceof z.ZodOptional) return walk(schema.unwrap(), tree, path, report)
  if (schema instanceof z.ZodUnknown || (tree.kind === 'scalar' && tree.broken)) return undefined
  const inMap =
    schema instanceof z.ZodUnion ? schema.options.find((option) => option instanceof z.ZodRecord) : undefined
  if (inMap !== undefined && tree.kind === 'map') return walk(inMap, tree, path, report)
  const short = schema instanceof z.ZodUnion ? shortForm(schema) : undefined
  if (short !== undefined) return walk(tree.kind === 'map' ? short.section : short.leaf, tree, path, report)
  if (schema instanceof z.ZodObject) {
    if (tree.kind === 'map') return walkSection(schema, tree, path, report)
  } else if (schema instanceof z.ZodRecord) {
    if (tree.kind === 'map') return walkMap(schema, tree, path, report)
  } else if (schema instanceof z.ZodArray) {
    if (tree.kind === 'list') return walkList(schema, tree, path, report)
  } else {
    return walkLeaf(schema, tree, path, report)
  }
  const expected = schema instanceof z.ZodArray ? 'a list' : 'a map'
  report.error({ at: tree.at, path, message: `expected ${expected}, found ${describeAt(tree, path)}${slip(tree)}` })
  return undefined
}

const slip = (tree: Tree): string => {
  const told = tree.kind === 'scalar' && tree.plain ? missingBlank(tree.source) : undefined
  return told === undefined ? '' : `; ${told}`
}

/** A section that one value may stand for. */
const shortForm = ({ options }: z.ZodUnion): { section: z.ZodObject; leaf: z.core.$ZodType } | undefined => {
  const section = options.find((option) => option instanceof z.ZodObject)
  const leaf = options.find((option) => option !== section)
  return section === undefined || leaf === undefined ? undefined : { section, leaf }
}

/** A section with more keys is left to the documentation. */
const MOST_LISTED = 10

const walkSection = (schema: z.ZodObject, tree: MapTree, path: Path, report: Report): unknown => {
  const out: Record<string, unknown> = {}
  const shape = new Map<string, z.core.$ZodType>(Object.entries(schema.shape))
  for (const [key, { keyAt, value }] of tree.entries) {
    const known = shape.get(key)
    const place = [...path, key]
    if (known === undefined) {
      const isSecret = path[0] === 'apiKeys'
      const message = `unknown key${isSecret ? '' : ` ${JSON.stringify(key)}`}${shape.size > MOST_LISTED ? '' : `; valid are ${[...shape.keys()].join(', ')}`}`
      report.error({ at: keyAt, path: isSecret ? path : place, message, meant: { given: key, valid: shape.keys() } })
      continue
    }
    const warning = UNUSED.get(known instanceof z.ZodOptional ? known.unwrap() : known)
    if (warning !== undefined) report.warning({ at: keyAt, path: place, message: warning })
    if (!isNothing(value)) out[key] = walk(known, value, place, report)
  }
  return out
}

const walkMap = (schema: z.ZodRecord, tree: MapTree, path: Path, report: Report): unknown => {
  // Without a prototype: the keys are free, and `__proto__` is one of them.
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, { value }] of tree.entries) out[key] = walk(schema.valueType, value, [...path, key], report)
  return out
}

const walkList = (schema: z.ZodArray, tree: ListTree, path: Path, report: Report): unknown => {
  const items = tree.items.map((item, index) => walk(schema.element, item, [...path, index], report))
  return items.filter((item) => item !== undefined)
}

const walkLeaf = (schema: z.core.$ZodType, tree: Tree, path: Path, report: Report): unknown => {
  const given = tree.kind === 'scalar' ? coerce(schema, tree) : NOT_SCALAR
  const result = z.safeParse(schema, given)
  if (result.success) return result.data
  const word = typeof given === 'string' ? given : ''
  const shown = describeAt(tree, path)
  const message = `expected ${result.error.issues[0]?.message ?? 'something else'}, found ${shown}`
  report.error({ at: tree.at, path, message, meant: { given: word, valid: wordsOf(schema) } })
  return undefined
}

/** The words that a schema takes. */
const wordsOf = (schema: z.core.$ZodType): readonly string[] => {
  if (schema instanceof z.ZodEnum) return schema.options.map(String)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => wordsOf(option))
  return schema instanceof z.ZodLiteral ? [...schema.values].map(String) : []
}

/** Messages go to logs and bug reports: keys do not. */
const describeAt = (tree: Tree, path: Path): string => {
  const [top, , field] = path
  const isKey = top === 'apiKeys' && (field === undefined || field === 'key')
  const hidden = isKey || path.at(-1) === 'apiKey'
  return describe(hidden && tree.kind === 'scalar' ? { ...tree, secret: true } : tree)
}

/** No leaf accepts a list or a map. */
const NOT_SCALAR = Symbol('not a scalar')

const SWITCHES: ReadonlyMap<unknown, boolean> = new Map([
  ...['yes', 'on', 'y'].map((word) => [word, true] as const),
  ...['no', 'off', 'n'].map((word) => [word, false] as const),
])

/** What llama-swap's YAML reader accepts too: numbers where text is wanted, and the switches of older YAML. */
const coerce = (schema: z.core.$ZodType, tree: ScalarTree): unknown => {
  const { value } = tree
  if (schema instanceof z.ZodString && (typeof value === 'number' || typeof value === 'boolean')) return tree.source
  if (schema instanceof z.ZodBoolean && tree.plain && typeof value === 'string') {
    return SWITCHES.get(value.toLowerCase()) ?? value
  }
  return value
}
