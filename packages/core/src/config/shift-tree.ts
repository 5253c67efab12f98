import type { Entry, Tree } from './tree.ts'

/** The same tree with every place moved. What an alias shares stays shared: a copy for each use is what alias bombs want. */
export const shiftTree = (tree: Tree, by: number): Tree => {
  const moved = new Map<Tree, Tree>()
  const shift = (one: Tree): Tree => {
    const known = moved.get(one)
    if (known !== undefined) return known
    const copy = copyOf(one)
    moved.set(one, copy)
    return copy
  }
  const copyOf = (one: Tree): Tree => {
    const at = one.at + by
    if (one.kind === 'scalar') return { ...one, at, end: one.end + by }
    if (one.kind === 'list') return { ...one, at, items: one.items.map((item) => shift(item)) }
    const entries = new Map<string, Entry>()
    for (const [key, { keyAt, value }] of one.entries) entries.set(key, { keyAt: keyAt + by, value: shift(value) })
    return { ...one, at, entries }
  }
  return by === 0 ? tree : shift(tree)
}
