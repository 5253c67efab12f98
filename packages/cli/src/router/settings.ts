import { ignorePathPattern, type Config } from '@lswap/core'
import { createKeyring } from './access/keyring.ts'
import { createCatalog } from './catalog.ts'
import type { DispatchOptions } from './dispatch.ts'
import { DEFAULT_ROUTER_LIMITS, type RouterLimits } from './limits.ts'

/** What requests read of a configuration. It is made whole and replaced whole: a request keeps the one that it began with. */
export type Settings = Pick<
  DispatchOptions,
  'access' | 'catalog' | 'ignorePaths' | 'includeAliasesInList' | 'keyring' | 'limits' | 'limitsOfConfig'
>

export const settingsOf = (config: Config, limits: Partial<RouterLimits>): Settings => ({
  access: config.access,
  catalog: createCatalog(config.models),
  ignorePaths: config.ignorePaths.flatMap((text) => ignorePathPattern(text) ?? []),
  includeAliasesInList: config.includeAliasesInList,
  keyring: createKeyring(config.access.keys),
  limits: { ...DEFAULT_ROUTER_LIMITS, ...config.bodies, ...limits },
  limitsOfConfig: config.limits,
})
