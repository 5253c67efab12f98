import { isAlias, isMap, isScalar, isSeq, Scalar } from 'yaml'
import type { Alias, ParsedNode, YAMLMap } from 'yaml'
import { MAX_CONFIG_DEPTH } from './density.ts'
import type { Path, Report } from './issue.ts'
import { mergeEntries } from './merge.ts'
import type { Entry, ScalarTree, Tree } from './tree.ts'

/** Values in the file once every alias is replaced by what it stands for: the bound against alias bombs. */
const MAX_CONFIG_VALUES = 200_000

/** A tree with what it costs to walk it. */
interface Measured {
  readonly tree: Tree
  readonly values: number
  readonly depth: number
}

interface Reader {
  readonly report: Report
  /** By name: what the anchor stands for, `open` while its own content is being read. */
  readonly anchors: Map<string, Measured | 'open'>
  /** Entries that merges have copied so far: they cost memory long before the whole is measured. */
  merged: number
}

/** Ends the reading of a file that is too large or too deep: one message instead of thousands. */
class OverLimit extends Error {}

/** Turns the library's nodes into a tree: anchors followed, maps merged, keys unique. Undefined: over a limit, and that is reported. */
export const treeOf = (root: ParsedNode, report: Report): Tree | undefined => {
  try {
    return measure({ report, anchors: new Map(), merged: 0 }, root, []).tree
  } catch (error) {
    if (error instanceof OverLimit) return undefined
    throw error
  }
}

const measure = (reader: Reader, node: ParsedNode, path: Path): Measured => {
  if (isAlias(node)) return followAlias(reader, node, path)
  const anchor = node.anchor
  if (anchor !== undefined) reader.anchors.set(anchor, 'open')
  const measured = guard(reader, measureOwn(reader, node, path), node, path)
  if (anchor !== undefined) reader.anchors.set(anchor, measured)
  return measured
}

const measureOwn = (reader: Reader, node: Exclude<ParsedNode, Alias.Parsed>, path: Path): Measured => {
  const at = node.range[0]
  if (path.length >= MAX_CONFIG_DEPTH) {
    refuse(reader, at, `nested deeper than ${MAX_CONFIG_DEPTH} levels`)
  }
  if (isMap(node)) return measureMap(reader, node, path)
  if (isSeq(node)) {
    // Only tags like !!omap put pairs into lists; they have no meaning here and are left out.
    const nodes = node.items.filter(
      (item): item is ParsedNode => isScalar(item) || isMap(item) || isSeq(item) || isAlias(item),
    )
    const items = nodes.map((item, index) => measure(reader, item, [...path, index]))
    return total({ kind: 'list', items: items.map((item) => item.tree), at }, items)
  }
  return { tree: scalarTree(reader, node, path), values: 1, depth: 1 }
}

const measureMap = (reader: Reader, node: YAMLMap.Parsed, path: Path): Measured => {
  const at = node.range[0]
  const entries = new Map<string, Entry>()
  const parts: Measured[] = []
  const merged: { readonly at: number; readonly tree: Tree }[] = []
  for (const pair of node.items) {
    const key = keyOf(reader, pair.key, path)
    if (key === undefined) continue
    const keyAt = pair.key.range[0]
    const value = pair.value
      ? measure(reader, pair.value, [...path, key.text])
      : {
          tree: { kind: 'scalar', value: null, source: '', plain: true, at: keyAt, end: keyAt } as const,
          values: 1,
          depth: 1,
        }
    parts.push(value)
    const earlier = entries.get(key.text)
    if (key.merges) merged.push({ at: keyAt, tree: value.tree })
    else if (earlier) reader.report.error({ at: keyAt, path: [...path, key.text], message: 'this key is there twice' })
    else entries.set(key.text, { keyAt, value: value.tree })
  }
  const tree = { kind: 'map', entries: mergeEntries(entries, merged, { path, report: reader.report }), at } as const
  reader.merged += merged.length > 0 ? tree.entries.size : 0
  if (reader.merged > MAX_CONFIG_VALUES) refuse(reader, at, `merges more than ${MAX_CONFIG_VALUES} values`)
  return total(tree, parts)
}

/** A key as text. Numbers and the like keep their spelling: the model `1.0` is not the model `1`. */
const keyOf = (reader: Reader, node: ParsedNode, path: Path): { text: string; merges: boolean } | undefined => {
  const measured = isAlias(node) || isScalar(node) ? measure(reader, node, path).tree : undefined
  if (measured?.kind === 'scalar' && (measured.value !== null || measured.source !== '')) {
    const text = typeof measured.value === 'string' ? measured.value : measured.source
    return { text, merges: measured.plain && text === '<<' }
  }
  const message = isScalar(node) ? 'a key is missing before the `:`' : 'a key must be text'
  reader.report.error({ at: node.range[0], path, message })
  return undefined
}

const scalarTree = (reader: Reader, node: Scalar.Parsed, path: Path): ScalarTree => {
  const [at, end] = node.range
  const plain = node.type === Scalar.PLAIN
  const { value } = node
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', value, source: plain ? (node.source ?? '') : String(value), plain, at, end }
  }
  reader.report.error({ at, path, message: `the tag ${node.tag ?? ''} has no meaning here` })
  return { kind: 'scalar', value: '', source: '', plain, at, end, broken: true }
}

const followAlias = (reader: Reader, node: Alias.Parsed, path: Path): Measured => {
  const target = reader.anchors.get(node.source)
  if (target !== undefined && target !== 'open') return guard(reader, target, node, path)
  const [at, end] = node.range
  const message =
    target === 'open' ? `*${node.source} is inside of what it stands for` : `no anchor &${node.source} above`
  reader.report.error({ at, path, message })
  return { tree: { kind: 'scalar', value: null, source: '', plain: true, at, end, broken: true }, values: 1, depth: 1 }
}

const total = (tree: Tree, parts: readonly Measured[]): Measured => {
  // A merge copies entries, so what a map holds may be more than what was written in it.
  let values = 1 + (tree.kind === 'map' ? tree.entries.size : 0)
  let depth = 0
  for (const part of parts) {
    values += part.values
    depth = Math.max(depth, part.depth)
  }
  return { tree, values, depth: depth + 1 }
}

const guard = (reader: Reader, measured: Measured, node: ParsedNode, path: Path): Measured => {
  const tooDeep = path.length + measured.depth > MAX_CONFIG_DEPTH + 1
  if (!tooDeep && measured.values <= MAX_CONFIG_VALUES) return measured
  const limit = tooDeep ? `nested deeper than ${MAX_CONFIG_DEPTH} levels` : `more than ${MAX_CONFIG_VALUES} values`
  return refuse(reader, node.range[0], `${limit}, aliases followed`)
}

const refuse = (reader: Reader, at: number, message: string): never => {
  reader.report.error({ at, path: [], message })
  throw new OverLimit()
}
