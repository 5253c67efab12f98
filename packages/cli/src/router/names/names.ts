import { modelId, type Config, type SchedulerView } from '@lswap/core'
import { modelForbidden } from '../access/rights.ts'
import { modelNotFound, type Catalog } from '../catalog.ts'
import { stateOf } from '../own/models.ts'
import type { Peers } from '../peers/peers.ts'
import { listedNames } from './listed.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import type { Asker, Resolution } from './resolution.ts'
import { createSelectors, type Selectors, type SelectorTarget } from './selectors.ts'

/** Everything that a request may call a model by. */
export interface Names {
  readonly profiles: Profiles
  readonly selectors: Selectors
  /** By a pin of the active profile, then id, alias or adapter, then a peer's model, then a selector. */
  resolve(name: string, asker: Asker): Resolution
}

export interface NamesOptions {
  readonly config: Pick<Config, 'profiles' | 'selectors'>
  readonly catalog: Catalog
  readonly peers: Peers
  readonly view: () => SchedulerView
}

export const createNames = ({ config, catalog, peers, view }: NamesOptions): Names => {
  const profiles = createProfiles(config.profiles)
  const target = (name: string): SelectorTarget | undefined => {
    const model = catalog.find(name)
    if (model !== undefined) return { name, key: model.id, phase: () => stateOf(view().models.get(model.id)) }
    const remote = peers.find(name)
    return remote && { name, key: remote.name, phase: () => undefined }
  }
  const selectors = createSelectors(config.selectors, target)

  const direct = (name: string, { rights }: Asker): Resolution | undefined => {
    const model = catalog.find(name)
    if (model !== undefined) {
      return rights.mayUse(model.id)
        ? { type: 'model', model, calledAs: name }
        : { type: 'failed', failure: modelForbidden(rights, name) }
    }
    const remote = peers.find(name)
    if (remote === undefined) return undefined
    return rights.mayUse(modelId(remote.name))
      ? { type: 'peer', ...remote }
      : { type: 'failed', failure: modelForbidden(rights, name) }
  }

  return {
    profiles,
    selectors,
    resolve: (asked, asker) => {
      const pin = profiles.pinOf(asked)
      // Nobody's slip: it was pinned to nothing
      if (pin !== undefined && pin.target === undefined) return { type: 'failed', failure: modelNotFound(asked, []) }
      const name = pin?.target ?? asked
      const found = direct(name, asker)
      if (found !== undefined) return found
      const { rights } = asker
      if (!selectors.has(name)) {
        const known = listedNames({ catalog, peers, mayUse: rights.mayUse }, selectors.all)
        return { type: 'failed', failure: modelNotFound(asked, known) }
      }
      const chosen = selectors.choose(name, asker, ({ key }) => rights.mayUse(modelId(key)))
      const resolved = chosen === undefined ? undefined : direct(chosen, asker)
      return resolved ?? { type: 'failed', failure: modelForbidden(rights, name) }
    },
  }
}
