import type { Path, Report } from './issue.ts'
import { describe, isNothing, type Entry, type ListTree, type MapTree, type Tree } from './tree.ts'

/** Maps whose entries are things with a name. Two files that both have one of that name would be a mistake, not a merge. */
const NAMED: ReadonlySet<string> = new Set([
  'models',
  'groups',
  'matrix',
  'profiles',
  'selectors',
  'peers',
  'routing.router.settings.groups',
  'routing.router.settings.matrix',
])

/**
 * Makes one tree of the trees of several files, as llama-swap does: maps are merged key by key, lists are put behind each
 * other, and where two files say different things of one key that is an error. What has no content gives way.
 */
export const mergeFiles = (trees: readonly Tree[], report: Report): Tree | undefined => {
  const [first, ...others] = trees
  let merged = first
  for (const tree of others) if (merged !== undefined) merged = merge(merged, tree, { path: [], report })
  return merged
}

interface Context {
  readonly path: Path
  readonly report: Report
}

const merge = (earlier: Tree, later: Tree, context: Context): Tree => {
  if (isNothing(later)) return earlier
  if (isNothing(earlier)) return later
  if (earlier.kind === 'map' && later.kind === 'map') return mergeMaps(earlier, later, context)
  if (earlier.kind === 'list' && later.kind === 'list') return mergeLists(earlier, later)
  const isSame = earlier.kind === 'scalar' && later.kind === 'scalar' && earlier.value === later.value
  if (!isSame) {
    const { path, report } = context
    const where = report.fileAt(earlier.at)
    const isSecret = path[0] === 'apiKeys' || path.at(-1) === 'apiKey'
    const message = isSecret
      ? `${where} has another value`
      : `${describe(later)} here, ${describe(earlier)} in ${where}`
    report.error({ at: later.at, path, message: `two files say different things: ${message}` })
  }
  return earlier
}

const mergeLists = (earlier: ListTree, later: ListTree): ListTree => ({
  ...earlier,
  items: [...earlier.items, ...later.items],
})

const mergeMaps = (earlier: MapTree, later: MapTree, { path, report }: Context): MapTree => {
  const entries = new Map<string, Entry>(earlier.entries)
  const isNamed = NAMED.has(path.join('.'))
  for (const [key, entry] of later.entries) {
    const known = entries.get(key)
    const place = [...path, key]
    if (known === undefined) {
      entries.set(key, entry)
    } else if (isNamed) {
      const message = `${report.fileAt(known.keyAt)} has this one already`
      report.error({ at: entry.keyAt, path: place, message })
    } else {
      entries.set(key, { keyAt: known.keyAt, value: merge(known.value, entry.value, { path: place, report }) })
    }
  }
  return { ...earlier, entries }
}
