import type { Path, Report } from './issue.ts'
import type { Entry, Tree } from './tree.ts'

/** One `<<: …` of a map. */
interface Merge {
  readonly at: number
  readonly tree: Tree
}

/** YAML's merge key, which shared defaults rest on: keys of the map itself win, then the maps in their order. */
export const mergeEntries = (
  own: ReadonlyMap<string, Entry>,
  merges: readonly Merge[],
  context: { readonly path: Path; readonly report: Report },
): ReadonlyMap<string, Entry> => {
  if (merges.length === 0) return own
  const entries = new Map(own)
  for (const { at, tree } of merges) {
    for (const map of tree.kind === 'list' ? tree.items : [tree]) {
      if (map.kind === 'map') {
        for (const [key, entry] of map.entries) if (!entries.has(key)) entries.set(key, entry)
      } else if (map.kind !== 'scalar' || !map.broken) {
        context.report.error({ at, path: [...context.path, '<<'], message: '`<<` takes a map, or a list of maps' })
      }
    }
  }
  return entries
}
