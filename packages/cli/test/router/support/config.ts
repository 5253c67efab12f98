import { DEFAULT_LIMITS, DEFAULT_FIFO, DEFAULT_QUEUE_LIMIT, LOCAL_HOST, modelId, NO_FILTERS } from '@lswap/core'
import type { Config, ModelConfig } from '@lswap/core'

/** A model's entry with everything that a test does not care about filled in. */
export const model = (id: string, changes: Partial<ModelConfig> = {}): ModelConfig => ({
  id: modelId(id),
  name: undefined,
  description: undefined,
  cmd: `engine --model ${id}`,
  cmdStop: undefined,
  proxy: undefined,
  port: 5800,
  checkEndpoint: '/health',
  healthCheckTimeoutMs: 120_000,
  unloadTimeoutMs: 10_000,
  stopSignal: 'SIGTERM',
  onAgentExit: 'stop',
  env: {},
  aliases: [],
  unlisted: false,
  useModelName: undefined,
  filters: NO_FILTERS,
  idleMs: undefined,
  concurrencyLimit: undefined,
  queueLimit: DEFAULT_QUEUE_LIMIT,
  pinned: false,
  hosts: [LOCAL_HOST],
  fifoPriority: 0,
  priority: 0,
  criticality: undefined,
  memory: undefined,
  ...changes,
})

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
  logLevel: 'info',
  ...changes,
})
