import type { Config } from '../config/config.ts'
import type { ModelConfig } from '../config/model-config.ts'
import type { ModelId } from '../ids.ts'
import { canonical } from './canonical.ts'
import { processIdentity } from './identity.ts'
import { modelKeys } from './model-keys.ts'
import { changedSettings } from './settings.ts'

export interface ModelChange {
  readonly id: ModelId
  /** What is different, as the file calls it. */
  readonly keys: readonly string[]
  /** Its process, if it has one, drains and stops; the next request starts the new one. */
  readonly restarts: boolean
}

/** What a new configuration changes. Only names: what is in the values may be secret. */
export interface ConfigChanges {
  readonly models: {
    readonly added: readonly ModelId[]
    readonly changed: readonly ModelChange[]
    readonly removed: readonly ModelId[]
    readonly unchanged: readonly ModelId[]
  }
  /** Settings that are different, as the file calls them. */
  readonly settings: readonly string[]
  /** Those of them that act only after a restart of lswap. */
  readonly needsRestart: readonly string[]
}

export const diffConfigs = (previous: Config, next: Config): ConfigChanges => {
  const before = new Map(previous.models.map((model) => [model.id, model]))
  const added: ModelId[] = []
  const changed: ModelChange[] = []
  const unchanged: ModelId[] = []
  for (const model of next.models) {
    const old = before.get(model.id)
    before.delete(model.id)
    const keys = old === undefined ? [] : changedKeys(old, model)
    if (old === undefined) added.push(model.id)
    else if (keys.length === 0) unchanged.push(model.id)
    else changed.push({ id: model.id, keys, restarts: processIdentity(old) !== processIdentity(model) })
  }
  const settings = changedSettings(previous, next)
  return {
    models: { added, changed, removed: [...before.keys()], unchanged },
    settings: settings.map(({ name }) => name),
    needsRestart: settings.filter(({ acts }) => acts === 'restart').map(({ name }) => name),
  }
}

const changedKeys = (old: ModelConfig, model: ModelConfig): readonly string[] =>
  modelKeys.flatMap(([key, { name }]) => (canonical(old[key]) === canonical(model[key]) ? [] : [name]))

/** Whether a reload found nothing to do. */
export const isSameConfig = ({ models: { added, changed, removed }, settings }: ConfigChanges): boolean =>
  added.length + changed.length + removed.length + settings.length === 0
