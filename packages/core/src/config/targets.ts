import { modelId } from '../ids.ts'
import type { ModelId } from '../ids.ts'
import type { PeerConfig } from './servers-config.ts'
import type { Names } from './names.ts'

/** What a selector or a profile may point to. */
export interface Targets {
  /** The model behind a name; `remote`: that of a peer. */
  resolve(name: string): Target | undefined
  all(): readonly string[]
}

export type Target =
  | { readonly type: 'local'; readonly model: ModelId }
  | { readonly type: 'remote'; readonly name: string }

/** Models by id or alias, then those of peers: by `<peer>/<model>`, or by `<model>` where one peer alone has it. */
export const targetsOf = (names: Names, peers: readonly PeerConfig[]): Targets => {
  const remote = new Map<string, string | undefined>()
  for (const { id, models } of peers) {
    for (const model of models) remote.set(model, remote.has(model) ? undefined : `${id}/${model}`)
  }
  for (const { id, models } of peers) for (const model of models) remote.set(`${id}/${model}`, `${id}/${model}`)
  return {
    resolve: (name) => {
      const model = names.resolve(name)
      if (model !== undefined) return { type: 'local', model }
      const found = remote.get(name)
      return found === undefined ? undefined : { type: 'remote', name: found }
    },
    all: () => [...names.all(), ...[...remote].flatMap(([name, found]) => (found === undefined ? [] : [name]))],
  }
}

/** The names that keys may be limited to: those of models, and `<peer>/<model>`. */
export const reachableNames = (names: Names, peers: readonly PeerConfig[]): Names => {
  const remote = new Set(peers.flatMap(({ id, models }) => models.map((model) => `${id}/${model}`)))
  return {
    resolve: (name) => names.resolve(name) ?? (remote.has(name) ? modelId(name) : undefined),
    all: () => [...names.all(), ...remote],
  }
}
