import type { ConnectionTimeouts, PeerConfig } from './servers-config.ts'
import { readFilters } from './filters.ts'
import type { Path, Report } from './issue.ts'
import { textsAt, type Names } from './names.ts'
import type { RawConfig } from './schema.ts'
import { readTimeouts } from './timeouts.ts'
import { entriesOf, isNothing, keyPlaceOf, treeAt } from './tree.ts'
import type { Tree } from './tree.ts'

/** llama-swap's: a peer that says nothing for a minute is taken for dead, since it is another machine's. */
const PEER_TIMEOUTS: ConnectionTimeouts = { responseHeaderMs: 60_000 }

interface Context {
  readonly root: Tree
  readonly names: Names
  readonly report: Report
}

/** Reads the peers: other servers whose models can be asked for here, as `<peer>/<model>`. */
export const readPeers = (raw: RawConfig, context: Context): readonly PeerConfig[] => {
  const { root, report } = context
  const owners = new Map<string, string>()
  return [...entriesOf(treeAt(root, ['peers'])).keys()].flatMap((id) => {
    const path: Path = ['peers', id]
    const given = raw.peers?.[id]
    const models = readModels(id, [...path, 'models'], { ...context, owners })
    if (given === undefined) return []
    if (given.proxy === undefined) {
      requireKey(root, [...path, 'proxy'], report)
      return []
    }
    const filters = readFilters(root, path, report)
    if (filters.setParamsById.length > 0) {
      const place = [...path, 'filters', 'setParamsByID']
      report.warning({
        at: keyPlaceOf(root, place),
        path: place,
        message: 'no effect: peers have no names of their own',
      })
    }
    return [
      {
        id,
        proxy: given.proxy.replace(/\/+$/, ''),
        models,
        filters: { ...filters, setParamsById: [] },
        timeouts: { ...PEER_TIMEOUTS, ...readTimeouts(given.timeouts) },
        ...(given.apiKey ? { apiKey: given.apiKey } : {}),
      },
    ]
  })
}

/** Tells that a key is missing, unless a mistake in its value was told already. */
const requireKey = (root: Tree, path: Path, report: Report): void => {
  const value = treeAt(root, path)
  if (value !== undefined && !isNothing(value)) return
  report.error({ at: keyPlaceOf(root, path), path, message: `${String(path.at(-1))} is missing` })
}

const readModels = (
  peer: string,
  path: Path,
  { root, names, report, owners }: Context & { readonly owners: Map<string, string> },
): readonly string[] => {
  const models = new Set<string>()
  for (const { text, at, path: place } of textsAt(root, path)) {
    const name = `${peer}/${text}`
    const owner = owners.get(name)
    if (names.resolve(name) !== undefined) {
      report.error({ at, path: place, message: `${JSON.stringify(name)} is a model of this configuration already` })
    } else if (owner !== undefined && owner !== peer) {
      const message = `${JSON.stringify(name)} could also be a model of the peer ${JSON.stringify(owner)}`
      report.error({ at, path: place, message })
    }
    owners.set(name, peer)
    models.add(text)
  }
  if (models.size === 0) requireModels(root, path, report)
  return [...models]
}

const requireModels = (root: Tree, path: Path, report: Report): void => {
  const tree = treeAt(root, path)
  if (tree === undefined || isNothing(tree) || (tree.kind === 'list' && tree.items.length === 0)) {
    report.error({ at: keyPlaceOf(root, path), path, message: 'a peer needs at least one model' })
  }
}
