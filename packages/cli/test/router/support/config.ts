import { DEFAULT_FIFO, DEFAULT_IGNORE_PATHS, DEFAULT_LIMITS } from '@lswap/core'
import type { Config, ModelConfig } from '@lswap/core'

export { modelConfig as model } from '@lswap/core/test-support'

export const config = (models: readonly ModelConfig[], changes: Partial<Config> = {}): Config => ({
  models,
  swapper: 'exclusive',
  swapperReason: 'a test',
  groups: [],
  matrix: { sets: [], evictCosts: new Map() },
  devices: new Map(),
  picker: {},
  policy: DEFAULT_FIFO,
  limits: DEFAULT_LIMITS,
  bodies: {},
  access: { keys: [], cors: [], allowedHosts: [] },
  agents: [],
  embeddedAgent: true,
  includeAliasesInList: false,
  secretVariables: [],
  startPort: 5800,
  ignorePaths: DEFAULT_IGNORE_PATHS,
  selectors: [],
  profiles: [],
  peers: [],
  preload: [],
  logLevel: 'info',
  logTimeFormat: '',
  logTo: 'proxy',
  logRequests: true,
  keptRequests: 1_000,
  ...changes,
})
