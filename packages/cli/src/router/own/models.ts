import type { ModelNeed } from '@lswap/core/protocol'
import type { ModelConfig, ModelView, PlacementPhase, PlacementView } from '@lswap/core'
import { needOf } from '../feed/need.ts'
import type { ListOptions } from './list-options.ts'
import { listedCapabilities, type ListedCapabilities } from './capabilities.ts'

/** A model as OpenAI's list has it, with what llama-swap tells and what lswap knows beside. */
export interface ListedModel extends ListedCapabilities {
  readonly id: string
  readonly object: 'model'
  /** When the router started, in seconds: a configured model has no date of its own. */
  readonly created: number
  readonly owned_by: 'lswap'
  /** Absent where the file has none: programs take `id` for it then, and stumble over null. */
  readonly name?: string
  readonly description?: string
  readonly aliases: readonly string[]
  readonly status: { readonly value: 'loaded' | 'loading' | 'unloaded' }
  readonly meta: {
    readonly lswap: {
      readonly state: PlacementPhase
      /** Hosts where it has a process. */
      readonly hosts: readonly string[]
      /** Since when it is in that state, in milliseconds since 1970; null when no host may run it. */
      readonly since: number | null
      /** What a load usually takes; null: none was measured yet. */
      readonly expectedLoadMs: number | null
      /** Requests that wait for it. */
      readonly queue: number
      /** What it is taken to need by host, where that decides what must go. */
      readonly sizes?: Readonly<Record<string, ModelNeed>>
      /** When it is loaded again by itself if nothing else is wanted until then. */
      readonly restoreAt?: number
    }
    /** `metadata` of the file, and what the row stands for, where llama-swap's clients look for it. */
    readonly llamaswap: Readonly<Record<string, unknown>>
    readonly n_ctx?: number
  }
}

/** The models of the configuration, as they are listed. */
export const ownModels = ({ catalog, view, startedAt, withAliases }: ListOptions): readonly ListedModel[] =>
  catalog.models
    .filter((model) => !model.unlisted)
    .flatMap((model) => {
      const row = listed(model, view.models.get(model.id), Math.floor(startedAt / 1000))
      const names = withAliases ? model.aliases : []
      return [row].concat(names.map((alias) => aliasRow(row, model, alias)))
    })

const listed = (model: ModelConfig, view: ModelView | undefined, created: number): ListedModel => {
  const { aliases, capabilities, metadata, name, description } = model
  const placements = view?.placements ?? []
  const best = bestOf(placements)
  const expectedLoadMs = view?.expectedLoadMs
  return {
    id: model.id,
    object: 'model',
    created,
    owned_by: 'lswap',
    ...said({ name, description }),
    aliases,
    status: { value: statusOf(best?.phase ?? 'stopped') },
    ...listedCapabilities(capabilities),
    meta: {
      lswap: {
        state: best?.phase ?? 'stopped',
        hosts: placements.filter(({ phase }) => phase !== 'stopped').map(({ placement }) => placement.host),
        since: best === undefined ? null : Math.round(best.sinceMs),
        expectedLoadMs: expectedLoadMs === undefined ? null : Math.round(expectedLoadMs),
        queue: view?.waiting ?? 0,
        ...sizesOf(placements),
        ...(view?.restoreAt === undefined ? {} : { restoreAt: Math.round(view.restoreAt) }),
      },
      llamaswap: { ...metadata, type: 'model', ...(aliases.length > 0 && { aliases }) },
      ...(capabilities !== undefined && capabilities.context > 0 && { n_ctx: capabilities.context }),
    },
  }
}

interface Said {
  readonly name: string | undefined
  readonly description: string | undefined
}

export const said = ({ name, description }: Said): Pick<ListedModel, 'name' | 'description'> => ({
  ...(name !== undefined && { name }),
  ...(description !== undefined && { description }),
})

const sizesOf = (placements: readonly PlacementView[]): { readonly sizes?: Readonly<Record<string, ModelNeed>> } => {
  const known = placements.flatMap(({ placement, size }) =>
    size === undefined ? [] : [[placement.host, needOf(size)]],
  )
  return known.length === 0 ? {} : { sizes: Object.fromEntries(known) as Record<string, ModelNeed> }
}

const aliasRow = (row: ListedModel, { id, metadata }: ModelConfig, alias: string): ListedModel => ({
  ...row,
  id: alias,
  aliases: [],
  meta: { ...row.meta, llamaswap: { ...metadata, type: 'alias', modelID: id } },
})

/** What a model is in, wherever it is furthest. */
export const stateOf = (view: ModelView | undefined): PlacementPhase =>
  bestOf(view?.placements ?? [])?.phase ?? 'stopped'

/** The most useful first. */
const ORDER: readonly PlacementPhase[] = ['ready', 'loading', 'stopping', 'stuck', 'stopped']

const bestOf = (placements: readonly PlacementView[]): PlacementView | undefined =>
  placements.toSorted((a, b) => ORDER.indexOf(a.phase) - ORDER.indexOf(b.phase))[0]

export const statusOf = (phase: PlacementPhase): ListedModel['status']['value'] => {
  if (phase === 'ready') return 'loaded'
  return phase === 'loading' ? 'loading' : 'unloaded'
}
