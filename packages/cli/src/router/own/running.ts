import type { ModelNeed, ModelPlacement, ModelState } from '@lswap/core/protocol'
import type { ModelId, PlacementPhase, SchedulerView } from '@lswap/core'
import type { ProcessView } from '@lswap/agent'
import type { Catalog } from '../catalog.ts'
import { modelStates } from '../feed/model-states.ts'
import type { ToldFailure } from '../feed/told-failure.ts'
import { unplaced, type HostFacts } from '../fleet/hosts.ts'
import { shownHosts, type ShownHost } from './hosts.ts'
import type { Measured } from '../fleet/measured.ts'
import { shownModels, type ShownModel } from './shown-models.ts'

/** A model with a process, with requests that wait for one, or that comes back by itself: a row of `lswap ps`. */
export interface RunningModel {
  readonly model: string
  readonly state: PlacementPhase | 'unreachable'
  /** Base URL of the engine. */
  readonly proxy: string | null
  readonly url: string | null
  /** Idle unload in seconds; 0: never. */
  readonly ttl: number
  readonly name: string | null
  readonly description: string | null
  readonly host: string | null
  readonly pid: number | null
  readonly inFlight: number
  readonly memoryBytes: number | null
  /** What it is taken to need, and how that is known; null: nobody knows, or nothing depends on it. */
  readonly size: ModelNeed | null
  /** Requests that wait for the model, on whichever host. */
  readonly waiting: number
  /** How long nothing has used it. */
  readonly idleMs: number | null
  /** How long until it is unloaded for being idle. */
  readonly untilMs: number | null
  /** How long until it is loaded again by itself, if nothing else is wanted until then. */
  readonly restoreMs?: number
  /** It is never evicted, nor unloaded for being idle. */
  readonly pinned: boolean
  /** Why it is stuck, or why its last start failed. */
  readonly failure: ToldFailure | null
}

export interface RunningOptions {
  readonly catalog: Catalog
  readonly view: SchedulerView
  /** What the agents see, by host. */
  readonly processes: ReadonlyMap<string, readonly ProcessView[]>
  readonly now: number
  readonly hosts: HostFacts
  /** What hosts measured. */
  readonly measured: Measured
  /** The router's own. */
  readonly version: string
  /** Whether models are listed that left the configuration and still run. */
  readonly withRemoved: boolean
}

export interface Running {
  readonly running: readonly RunningModel[]
  /** Every host, and what is wrong with it; only for who may see all models. */
  readonly hosts?: readonly ShownHost[]
  /** Models that no host has. */
  readonly unplaced?: readonly ModelId[]
}

export const listRunning = (options: RunningOptions): Running => {
  const { catalog, view, processes } = options
  const models = options.withRemoved ? shownModels(catalog.models, view) : catalog.models
  const { measured, now, version } = options
  const states = modelStates({ models, view, processes, measured })
  const running = models.flatMap((model, at) => rowsOf(model, states[at], options))
  if (!options.withRemoved) return { running }
  const hosts = shownHosts({ view, facts: options.hosts, measured, now, version })
  return { running, hosts, unplaced: unplaced(catalog) }
}

const rowsOf = (model: ShownModel, state: ModelState | undefined, options: RunningOptions): RunningModel[] => {
  if (state === undefined) return []
  const live = state.placements.filter((placement) => placement.state !== 'stopped')
  const shared = { ...blank(model), pinned: state.pinned, waiting: state.waiting }
  if (state.state === 'unreachable')
    return state.placements.map(({ host }) => Object.assign({}, shared, { state: 'unreachable', host }))
  if (live.length > 0) return live.map((placement) => rowOf(shared, placement, options))
  if (state.restoreAt !== undefined)
    return [{ ...shared, restoreMs: Math.max(0, Math.round(state.restoreAt - options.now)) }]
  return state.waiting > 0 ? [shared] : []
}

const rowOf = (
  shared: RunningModel,
  { host, state, pid, memoryBytes, size, inFlight, idleAt, untilAt, failure }: ModelPlacement,
  { processes, now }: RunningOptions,
): RunningModel => {
  const url = processes.get(host)?.find(({ model }) => model === shared.model)?.url ?? null
  return {
    ...shared,
    state: state as PlacementPhase,
    host,
    pid,
    memoryBytes,
    size: size ?? null,
    inFlight,
    failure,
    proxy: url,
    url,
    idleMs: idleAt === null ? null : Math.max(0, Math.round(now - idleAt)),
    untilMs: untilAt === null ? null : Math.max(0, Math.round(untilAt - now)),
  }
}

const blank = (model: ShownModel): RunningModel => ({
  model: model.id,
  state: 'stopped',
  proxy: null,
  url: null,
  ttl: (model.idleMs ?? 0) / 1000,
  name: model.name ?? null,
  description: model.description ?? null,
  host: null,
  pid: null,
  inFlight: 0,
  memoryBytes: null,
  size: null,
  waiting: 0,
  idleMs: null,
  untilMs: null,
  pinned: false,
  failure: null,
})
