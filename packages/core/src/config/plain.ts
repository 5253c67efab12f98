import type { Path, Report } from './issue.ts'
import type { Tree } from './tree.ts'

/** A free value as JSON data. */
export const plainOf = (tree: Tree, path: Path, report: Report): unknown => {
  if (tree.kind === 'list') return tree.items.map((item, index) => plainOf(item, [...path, index], report))
  if (tree.kind === 'scalar') {
    if (typeof tree.value === 'number' && !Number.isFinite(tree.value))
      report.error({ at: tree.at, path, message: `JSON has no ${tree.source}` })
    return tree.value
  }
  // Without a prototype: `__proto__` is a key like any other
  const plain = Object.create(null) as Record<string, unknown>
  for (const [key, { value }] of tree.entries) plain[key] = plainOf(value, [...path, key], report)
  return plain
}
