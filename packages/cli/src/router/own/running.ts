import type { Failure, ModelConfig, ModelView, PlacementPhase, PlacementView, SchedulerView } from '@lswap/core'
import type { ProcessView } from '@lswap/agent'
import type { Catalog } from '../catalog.ts'

/** A model with a process, or with requests that wait for one: a row of `lswap ps`. */
export interface RunningModel {
  readonly model: string
  readonly state: PlacementPhase
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
  /** Requests that wait for the model, on whichever host. */
  readonly waiting: number
  /** How long nothing has used it. */
  readonly idleMs: number | null
  /** How long until it is unloaded for being idle. */
  readonly untilMs: number | null
  /** It is never evicted, nor unloaded for being idle. */
  readonly pinned: boolean
  /** Why it is stuck, or why its last start failed. */
  readonly failure: { readonly code: string; readonly message: string } | null
}

export interface RunningOptions {
  readonly catalog: Catalog
  readonly view: SchedulerView
  /** What the agents see, by host. */
  readonly processes: ReadonlyMap<string, readonly ProcessView[]>
  readonly now: number
}

export const listRunning = (options: RunningOptions): { readonly running: readonly RunningModel[] } => ({
  running: options.catalog.models.flatMap((model) => rowsOf(model, options.view.models.get(model.id), options)),
})

const rowsOf = (model: ModelConfig, view: ModelView | undefined, options: RunningOptions): RunningModel[] => {
  if (view === undefined) return []
  const live = view.placements.filter(({ phase }) => phase !== 'stopped')
  if (live.length > 0) return live.map((placement) => rowOf(model, view, placement, options))
  return view.waiting > 0 ? [{ ...blank(model), pinned: view.pinned, waiting: view.waiting }] : []
}

const rowOf = (
  model: ModelConfig,
  { pinned, waiting }: ModelView,
  { placement, phase, inFlight, holding, idleSince, idleUntil, lastFailure }: PlacementView,
  { processes, now }: RunningOptions,
): RunningModel => {
  const process = processes.get(placement.host)?.find((candidate) => candidate.model === model.id)
  return {
    ...blank(model),
    state: phase,
    host: placement.host,
    proxy: process?.url ?? null,
    url: process?.url ?? null,
    pid: process?.pid ?? null,
    memoryBytes: process?.memoryBytes ?? null,
    inFlight: inFlight + holding,
    waiting,
    pinned,
    idleMs: idleSince === undefined ? null : Math.max(0, Math.round(now - idleSince)),
    untilMs: idleUntil === undefined ? null : Math.max(0, Math.round(idleUntil - now)),
    failure: told(lastFailure),
  }
}

const blank = (model: ModelConfig): RunningModel => ({
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
  waiting: 0,
  idleMs: null,
  untilMs: null,
  pinned: false,
  failure: null,
})

const told = (failure: Failure | undefined): RunningModel['failure'] =>
  failure === undefined ? null : { code: failure.code, message: failure.message }
