import type { Config } from '../config/config.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { LOCAL_HOST } from '../ids.ts'
import { swapperOf } from '../evict/choose.ts'
import { createPicker } from '../pick/create.ts'
import { processIdentity, startIdentity } from '../reload/identity.ts'
import type { ModelPolicy, SchedulerOptions } from './options.ts'

const policyOf = (model: ModelConfig): ModelPolicy => ({
  id: model.id,
  hosts: model.hosts,
  commandHash: startIdentity(model),
  processHash: processIdentity(model),
  ...definedAt(model),
  ...(model.concurrencyLimit === undefined ? {} : { concurrencyLimit: model.concurrencyLimit }),
  queueLimit: model.queueLimit,
  ...(model.idleMs === undefined ? {} : { idleMs: model.idleMs }),
  ...(model.restoreMs === undefined ? {} : { restoreMs: model.restoreMs }),
  priority: model.fifoPriority,
  pinned: model.pinned,
})

/** Agents on other machines read files of their own. */
const definedAt = ({ hosts }: ModelConfig): Pick<ModelPolicy, 'definedAt'> => {
  const others = hosts.filter((host) => host !== LOCAL_HOST)
  return others.length === 0 ? {} : { definedAt: others }
}

/** What a scheduler is built from, out of a checked configuration. */
export const schedulerOptions = (config: Config): SchedulerOptions => ({
  policy: config.policy,
  models: config.models.map((model) => policyOf(model)),
  limits: config.limits,
  swapper: swapperOf(config),
  picker: (random) => createPicker(config.picker, { random }),
})
