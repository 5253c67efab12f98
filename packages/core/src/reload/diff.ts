import type { Config } from '../config/config.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { LOCAL_HOST, type ModelId } from '../ids.ts'
import { canonical } from './canonical.ts'
import { processIdentity } from './identity.ts'
import { modelKeys, type Effect, type ModelKey } from './model-keys.ts'
import { changedSettings } from './settings.ts'

export interface ModelChange {
  readonly id: ModelId
  /** What is different, as the file calls it. */
  readonly keys: readonly string[]
  /** Its process on this machine, if it has one, drains and stops; the next request starts the new one. */
  readonly restarts: boolean
  /** It runs at agents only, and something is different that their own files say: that changes nothing. */
  readonly elsewhere?: true
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

/** What has its own definition at each agent; all other keys are the router's. */
const OF_PROCESS: ReadonlySet<Effect> = new Set(['process', 'start', 'stop'])

/** `isAgent`: of the file of an agent, which runs whatever has a command in it. */
export const diffConfigs = (previous: Config, next: Config, isAgent = false): ConfigChanges => {
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
    else {
      const runsHere = isAgent || old.hosts.includes(LOCAL_HOST)
      changed.push({
        id: model.id,
        keys: keys.map(({ name }) => name),
        restarts: runsHere && processIdentity(old) !== processIdentity(model),
        ...(!runsHere && !model.hosts.includes(LOCAL_HOST) && keys.some(({ acts }) => OF_PROCESS.has(acts))
          ? { elsewhere: true }
          : {}),
      })
    }
  }
  const settings = changedSettings(previous, next)
  return {
    models: { added, changed, removed: [...before.keys()], unchanged },
    settings: settings.map(({ name }) => name),
    needsRestart: settings.filter(({ acts }) => acts === 'restart').map(({ name }) => name),
  }
}

const changedKeys = (old: ModelConfig, model: ModelConfig): readonly ModelKey[] =>
  modelKeys.flatMap(([key, entry]) => (canonical(old[key]) === canonical(model[key]) ? [] : [entry]))

/** Whether a reload found nothing to do. */
export const isSameConfig = ({ models: { added, changed, removed }, settings }: ConfigChanges): boolean =>
  added.length + changed.length + removed.length + settings.length === 0
