import { modelId } from '@lswap/core'
import type { PlacementPhase, SelectorConfig } from '@lswap/core'
import { isShown } from '../names/listed.ts'
import type { ListOptions } from './list-options.ts'
import { said, stateOf, statusOf, type ListedModel } from './models.ts'

/** Rows for what is no model of this configuration and can be asked for: models of peers, selectors, pins of the active profile. */
export const otherNames = (options: ListOptions, own: readonly ListedModel[]): readonly ListedModel[] => {
  const { names, peers, mayUse } = options
  const created = Math.floor(options.startedAt / 1000)
  const remote = peers.models
    .filter(({ name }) => mayUse(modelId(name)))
    .map(({ name, model, peer: { config } }) =>
      rowOf(name, { created, name: `${config.id}: ${model}`, llamaswap: { type: 'peer', peerID: config.id } }),
    )
  const selectors = names.selectors.all
    .filter((selector) => isShown(selector, options))
    .map((selector) => selectorRow(selector, created, options))
  const taken = new Set([...own, ...remote, ...selectors].flatMap(({ id, aliases }) => [id].concat(aliases)))
  const active = names.profiles.all.find(({ id }) => id === names.profiles.active())
  const pins = (active?.pins ?? [])
    .filter(({ name, target }) => target !== undefined && !taken.has(name))
    .map(({ name }) => rowOf(name, { created, llamaswap: { type: 'profile' } }))
  return [...remote, ...selectors, ...pins]
}

/** As far as the furthest of its targets; a pin is its first one. */
const selectorRow = (
  { id, name, description, strategy, targets, spillover, metadata }: SelectorConfig,
  created: number,
  { catalog, view }: ListOptions,
): ListedModel => {
  const relevant = strategy === 'pin' ? targets.slice(0, 1) : targets
  const states = relevant.flatMap((target) => {
    const model = catalog.find(target)
    return model === undefined ? [] : [stateOf(view.models.get(model.id))]
  })
  const state = states.find((one) => one === 'ready') ?? states.find((one) => one === 'loading') ?? 'stopped'
  const kind = { type: 'selector', strategy, targets, ...(strategy === 'spillover' && { spillover }) }
  return rowOf(id, { created, name, description, llamaswap: { ...metadata, ...kind }, state })
}

interface Row {
  readonly created: number
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly llamaswap: ListedModel['meta']['llamaswap']
  readonly state?: PlacementPhase
}

const rowOf = (id: string, { created, name, description, llamaswap, state = 'stopped' }: Row): ListedModel => ({
  id,
  object: 'model',
  created,
  owned_by: 'lswap',
  ...said({ name, description }),
  aliases: [],
  status: { value: statusOf(state) },
  meta: { lswap: { state, hosts: [], since: null, expectedLoadMs: null, queue: 0 }, llamaswap },
})
