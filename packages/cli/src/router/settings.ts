import { ignorePathPattern, PREFIX_PICKER, type Config, type SchedulerView } from '@lswap/core'
import { createKeyring } from './access/keyring.ts'
import { createCatalog } from './catalog.ts'
import type { DispatchOptions } from './dispatch-options.ts'
import { DEFAULT_ROUTER_LIMITS, type RouterLimits } from './limits.ts'
import { createNames } from './names/names.ts'
import { createPeers, type Peers } from './peers/peers.ts'

export interface SettingsOptions {
  readonly limits: Partial<RouterLimits>
  /** What runs, for selectors. */
  readonly view: () => SchedulerView
}

/** What requests read of a configuration. It is made whole and replaced whole: a request keeps the one that it began with. */
export type Settings = Pick<
  DispatchOptions,
  | 'access'
  | 'catalog'
  | 'names'
  | 'peers'
  | 'ignorePaths'
  | 'includeAliasesInList'
  | 'keyring'
  | 'limits'
  | 'limitsOfConfig'
>

export const settingsOf = (config: Config, { limits, view }: SettingsOptions): Settings => {
  const peers = createPeers(config.peers)
  const indirect = indirectNames(config, peers)
  const picksByPrefix = config.picker.use === PREFIX_PICKER
  const catalog = createCatalog(config.models, { indirect, filtered: config.peers, picksByPrefix })
  return {
    access: config.access,
    catalog,
    names: createNames({ config, catalog, peers, view }),
    peers,
    ignorePaths: config.ignorePaths.flatMap((text) => ignorePathPattern(text) ?? []),
    includeAliasesInList: config.includeAliasesInList,
    keyring: createKeyring(config.access.keys),
    limits: { ...DEFAULT_ROUTER_LIMITS, ...config.bodies, ...limits },
    limitsOfConfig: config.limits,
  }
}

/** Names behind which something else stands: a body that has one is read whole, since its `model` may be edited. */
const indirectNames = ({ profiles, selectors }: Config, { models }: Peers): ReadonlySet<string> =>
  new Set([
    ...selectors.map(({ id }) => id),
    ...profiles.flatMap(({ pins }) => pins.map(({ name }) => name)),
    ...models.flatMap(({ model, name }) => [model, name]),
  ])
