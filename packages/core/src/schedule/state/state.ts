import type { Failure } from '../../errors/failure.ts'
import {
  placementKey,
  type Epoch,
  type Generation,
  type HostId,
  type ModelId,
  type Placement,
  type PlacementKey,
  type RequestId,
  type UnloadId,
} from '../../ids.ts'
import type { Band } from '../request.ts'
import type { StopOutcome, Swap } from '../swap.ts'
import type { HostMemory } from '../../evict/memory/host-memory.ts'
import { Measures } from './measures.ts'
import { ModelLog } from './model-log.ts'
import { newPlacement, type PlacementState, type ProcessState } from './placement.ts'
import type { Randomness } from './random.ts'
import type { Waiter } from './waiter.ts'
import { WaitingRoom } from './waiting-room.ts'

/** A swap that was commanded and not yet answered. */
export interface SwapState {
  readonly swap: Swap
  readonly startedAt: number
  /** Waiters that hold the model from the start of its load to their grant, in order, at most its slots. */
  readonly leased: RequestId[]
  /** It was started because the engine ran out of memory once; a second time fails. */
  readonly afterOutOfMemory: boolean
  aborting: boolean
  /** A stop has ended its process, though its own answer is still on its way. */
  stopped: boolean
}

/** A stop that was commanded and not yet answered. */
export interface StopState {
  readonly generation: Generation
  readonly placements: readonly Placement[]
}

export interface UnloadState {
  readonly pending: Set<PlacementKey>
  readonly outcomes: StopOutcome[]
}

export interface Granted {
  readonly waiter: Waiter
  readonly key: PlacementKey
  readonly epoch: Epoch
  readonly grantedAt: number
  /** It was let in while its model was held for another. */
  readonly backfilled: boolean
}

/** Why a model may not be started for a while. */
export interface Cooldown {
  readonly until: number
  readonly failures: number
  readonly failure: Failure
}

/** A blocked request's hold on what it needs on a host: nobody who comes after it may use that. */
export interface Claim {
  readonly request: RequestId
  readonly arrival: number
  readonly countsFrom: number
  readonly strength: number
  readonly model: ModelId
  readonly host: HostId
  readonly keys: readonly PlacementKey[]
}

/** Everything a scheduler knows. Changed only inside a turn. */
export interface State extends Randomness {
  now: number
  nextArrival: number
  nextGeneration: number
  closed: Failure | undefined
  readonly hosts: Map<HostId, boolean>
  /** Those that another router has taken over, and how that was told: they do not come back by themselves. */
  readonly taken: Map<HostId, Failure>
  /** What agents told of their memory last. */
  readonly memory: Map<HostId, HostMemory>
  readonly placements: Map<PlacementKey, PlacementState>
  /** Host, then model: the same placements for those who have no key at hand. Filled when first asked for. */
  readonly placementIndex: Map<HostId, Map<ModelId, PlacementState>>
  /** Per host the placements that have a process, an index over `placements`. */
  readonly residents: Map<HostId, Set<PlacementState>>
  readonly swaps: Map<Generation, SwapState>
  readonly stops: Map<Generation, StopState>
  readonly unloads: Map<UnloadId, UnloadState>
  readonly cooldowns: Map<string, Cooldown>
  readonly granted: Map<RequestId, Granted>
  /** What an operator said about pins, over the configuration. */
  readonly pins: Map<ModelId, boolean>
  /** Models that do not come back by themselves until somebody asks for them: unloaded by an operator, or broken. */
  readonly dismissed: Set<ModelId>
  /** Waiters that this turn rejected, so that somebody may still ask where their time went; not part of a snapshot. */
  readonly rejected: Map<RequestId, Waiter>
  readonly logs: Map<ModelId, ModelLog>
  readonly room: WaitingRoom
  readonly dispatched: Record<Band, number>
  measures: Measures
  claims: Claim[]
  agingReorders: number
  affinityReorders: number
}

export const newState = (seed = 0): State => ({
  now: 0,
  random: seed | 0,
  nextArrival: 1,
  nextGeneration: 1,
  closed: undefined,
  hosts: new Map(),
  taken: new Map(),
  memory: new Map(),
  placements: new Map(),
  placementIndex: new Map(),
  residents: new Map(),
  swaps: new Map(),
  stops: new Map(),
  unloads: new Map(),
  cooldowns: new Map(),
  granted: new Map(),
  pins: new Map(),
  dismissed: new Set(),
  rejected: new Map(),
  logs: new Map(),
  room: new WaitingRoom(),
  dispatched: { urgent: 0, normal: 0, batch: 0 },
  measures: new Measures(),
  claims: [],
  agingReorders: 0,
  affinityReorders: 0,
})

/** The state of a placement, made when first asked for. */
export const placementOf = (state: State, placement: Placement): PlacementState => {
  const { host, model } = placement
  let onHost = state.placementIndex.get(host)
  if (onHost === undefined) {
    onHost = new Map()
    state.placementIndex.set(host, onHost)
  }
  const indexed = onHost.get(model)
  if (indexed !== undefined) return indexed
  const key = placementKey(placement)
  const found = state.placements.get(key) ?? newPlacement(placement, key, state.now)
  state.placements.set(key, found)
  onHost.set(model, found)
  return found
}

export const logOf = (state: State, model: ModelId): ModelLog => {
  const known = state.logs.get(model)
  if (known !== undefined) return known
  const made = new ModelLog()
  state.logs.set(model, made)
  return made
}

/** Whether the first waiter of a model is held back by what the picker knows of its replicas. */
export const isSaturated = (state: State, model: ModelId): boolean => state.logs.get(model)?.cause?.type === 'saturated'

/** The only way a process becomes another one: keeps the index of residents true and forgets the counts of a process that ended. */
export const setProcess = (state: State, target: PlacementState, process: ProcessState): void => {
  const { host } = target.placement
  let residents = state.residents.get(host)
  if (residents === undefined) {
    residents = new Set()
    state.residents.set(host, residents)
  }
  if (process.phase === 'stopped') residents.delete(target)
  else residents.add(target)
  target.process = process
  target.since = state.now
  target.idleSince = state.now
  target.drainingSince = undefined
  target.sample = undefined
  target.dispatchedSince = 0
  target.lingering = []
  if (!('epoch' in process) || process.epoch !== target.prefixes?.epoch) target.prefixes = undefined
  if (process.phase !== 'stuck') {
    target.inFlight = 0
    target.holding = 0
  }
}

/** How many a ready process serves at once; it is the same process. */
export const setSlots = (target: PlacementState, slots: number): void => {
  if (target.process.phase === 'ready') target.process = { ...target.process, slots }
}

/** It did not end as it was told, and keeps its memory. What it served is still counted until it ends. */
export const setStuck = (state: State, target: PlacementState, failure: Failure): void => {
  const { process } = target
  const epoch = 'epoch' in process ? { epoch: process.epoch } : {}
  setProcess(state, target, { phase: 'stuck', failure, ...epoch })
}

const byModel = (a: PlacementState, b: PlacementState): number => (a.placement.model < b.placement.model ? -1 : 1)

/** The placements with a process on a host, in model order. */
export const residentsOn = (state: State, host: HostId): PlacementState[] => {
  const residents = [...(state.residents.get(host) ?? [])]
  // Mostly there is one, and every look at a blocked model asks
  return residents.length < 2 ? residents : residents.toSorted(byModel)
}
