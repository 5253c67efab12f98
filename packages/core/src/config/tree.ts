import type { Path } from './issue.ts'

// A file's content with the place of every key and value, free of anchors, merges and tags.

export type Scalar = string | number | boolean | null

export interface ScalarTree {
  readonly kind: 'scalar'
  readonly value: Scalar
  /** As written, so that `4.0` stays `4.0` where text is wanted. */
  readonly source: string
  /** Written without quotes. */
  readonly plain: boolean
  /** Offsets of its first character and behind its last. */
  readonly at: number
  readonly end: number
  /** Part of the value came from the environment and is not for messages. */
  readonly secret?: true
  /** Already reported: later checks say nothing more about it. */
  readonly broken?: true
}

export interface ListTree {
  readonly kind: 'list'
  readonly items: readonly Tree[]
  readonly at: number
}

export interface Entry {
  readonly keyAt: number
  readonly value: Tree
}

export interface MapTree {
  readonly kind: 'map'
  /** A Map, because it keeps the order of the file for every key and makes `__proto__` a key like any other. */
  readonly entries: ReadonlyMap<string, Entry>
  readonly at: number
}

export type Tree = ScalarTree | ListTree | MapTree

export const isNothing = (tree: Tree): boolean => tree.kind === 'scalar' && tree.value === null && !tree.broken

/** The entries of a map; none when it is something else or missing. */
export const entriesOf = (tree: Tree | undefined): ReadonlyMap<string, Entry> =>
  tree?.kind === 'map' ? tree.entries : new Map()

/** The value at a path. */
export const treeAt = (root: Tree, path: Path): Tree | undefined => {
  let tree: Tree | undefined = root
  for (const part of path) {
    if (tree?.kind === 'map') tree = tree.entries.get(String(part))?.value
    else if (tree?.kind === 'list' && typeof part === 'number') tree = tree.items[part]
    else return undefined
  }
  return tree
}

/** Where the value at a path begins; when it is not there, its nearest parent. */
export const placeOf = (root: Tree, path: Path): number => {
  for (let length = path.length; length > 0; length -= 1) {
    const tree = treeAt(root, path.slice(0, length))
    if (tree) return tree.at
  }
  return root.at
}

/** Where the key at a path begins; when it is not there, that of its nearest parent. */
export const keyPlaceOf = (root: Tree, path: Path): number => {
  for (let length = path.length; length > 0; length -= 1) {
    const entry = entriesOf(treeAt(root, path.slice(0, length - 1))).get(String(path[length - 1]))
    if (entry) return entry.keyAt
  }
  return root.at
}

const MAX_SHOWN = 40

/** What was found, as a message says it. */
export const describe = (tree: Tree): string => {
  if (tree.kind === 'list') return 'a list'
  if (tree.kind === 'map') return 'a map'
  if (tree.value === null) return 'nothing'
  if (tree.secret) return typeof tree.value === 'string' ? 'other text' : `a ${typeof tree.value}`
  if (typeof tree.value === 'number') return `the number ${tree.source}`
  if (typeof tree.value === 'boolean') return String(tree.value)
  const text = tree.value.length > MAX_SHOWN ? `${tree.value.slice(0, MAX_SHOWN)}…` : tree.value
  return `the text ${JSON.stringify(text)}`
}

/** Where the character `offset` of a text stands in the file; where the text begins when it is written in another way there. */
export const placeInText = (tree: Tree | undefined, offset: number, file: string): number => {
  if (tree?.kind !== 'scalar' || typeof tree.value !== 'string') return tree?.at ?? 0
  const start = tree.plain ? tree.at : tree.at + 1
  return file.startsWith(tree.value, start) ? start + offset : tree.at
}
