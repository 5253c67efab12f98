import type { ModelConfig, ModelView, PlacementPhase, PlacementView, SchedulerView } from '@lswap/core'
import type { Catalog } from '../catalog.ts'

/** A model as OpenAI's list has it, with what lswap knows beside. */
export interface ListedModel {
  readonly id: string
  readonly object: 'model'
  /** When the router started, in seconds: a configured model has no date of its own. */
  readonly created: number
  readonly owned_by: 'lswap'
  readonly name: string | null
  readonly description: string | null
  readonly aliases: readonly string[]
  readonly status: { readonly value: 'loaded' | 'loading' | 'unloaded' }
  readonly meta: {
    readonly lswap: {
      readonly state: PlacementPhase
      /** Hosts where it has a process. */
      readonly hosts: readonly string[]
      /** Since when it is in that state, in milliseconds since 1970; null when no host may run it. */
      readonly since: number | null
      /** Requests that wait for it. */
      readonly queue: number
    }
  }
}

export interface ModelList {
  readonly object: 'list'
  readonly data: readonly ListedModel[]
}

export const listModels = (catalog: Catalog, view: SchedulerView, startedAt: number): ModelList => ({
  object: 'list',
  data: catalog.models
    .filter((model) => !model.unlisted)
    .map((model) => listed(model, view.models.get(model.id), Math.floor(startedAt / 1000))),
})

const listed = (model: ModelConfig, view: ModelView | undefined, created: number): ListedModel => {
  const placements = view?.placements ?? []
  const best = bestOf(placements)
  return {
    id: model.id,
    object: 'model',
    created,
    owned_by: 'lswap',
    name: model.name ?? null,
    description: model.description ?? null,
    aliases: model.aliases,
    status: { value: statusOf(best?.phase ?? 'stopped') },
    meta: {
      lswap: {
        state: best?.phase ?? 'stopped',
        hosts: placements.filter(({ phase }) => phase !== 'stopped').map(({ placement }) => placement.host),
        since: best === undefined ? null : Math.round(best.sinceMs),
        queue: view?.waiting ?? 0,
      },
    },
  }
}

/** What a model is in, wherever it is furthest. */
export const stateOf = (view: ModelView | undefined): PlacementPhase =>
  bestOf(view?.placements ?? [])?.phase ?? 'stopped'

/** The most useful first. */
const ORDER: readonly PlacementPhase[] = ['ready', 'loading', 'stopping', 'stuck', 'stopped']

const bestOf = (placements: readonly PlacementView[]): PlacementView | undefined =>
  placements.toSorted((a, b) => ORDER.indexOf(a.phase) - ORDER.indexOf(b.phase))[0]

const statusOf = (phase: PlacementPhase): ListedModel['status']['value'] => {
  if (phase === 'ready') return 'loaded'
  return phase === 'loading' ? 'loading' : 'unloaded'
}
