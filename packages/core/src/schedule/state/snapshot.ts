import type { Failure } from '../../errors/failure.ts'
import { hostMemory, type MemoryReport } from '../../evict/memory/host-memory.ts'
import type { Epoch, HostId, ModelId, PlacementKey, RequestId, UnloadId } from '../../ids.ts'
import type { TimelineStep } from '../../timeline/timeline.ts'
import { isCounted, type Band, type Request } from '../request.ts'
import type { WaitCause } from '../scheduler.ts'
import type { StopOutcome } from '../swap.ts'
import { Measures } from './measures.ts'
import { ModelLog } from './model-log.ts'
import type { PlacementState } from './placement.ts'
import { restorePrefixes } from './prefixes.ts'
import { newState, type Claim, type Cooldown, type State, type StopState, type SwapState } from './state.ts'
import type { Waiter } from './waiter.ts'

/** The state as JSON data. Heaps are rebuilt from the waiters: their order is total, so it comes out the same. */
export interface Snapshot {
  readonly version: 1
  readonly now: number
  readonly nextArrival: number
  readonly nextGeneration: number
  readonly random: number
  readonly closed: Failure | null
  readonly hosts: readonly (readonly [HostId, boolean])[]
  /** Absent: from before anybody kept them. */
  readonly taken?: readonly (readonly [HostId, Failure])[]
  /** Absent: from before agents told of it. */
  readonly memory?: readonly (readonly [HostId, MemoryReport])[]
  readonly placements: readonly PlacementState[]
  readonly swaps: readonly SwapState[]
  readonly stops: readonly StopState[]
  readonly unloads: readonly (readonly [
    UnloadId,
    { pending: readonly PlacementKey[]; outcomes: readonly StopOutcome[] },
  ])[]
  readonly cooldowns: readonly (readonly [string, Cooldown])[]
  readonly pins: readonly (readonly [ModelId, boolean])[]
  readonly dismissed: readonly ModelId[]
  readonly waiters: readonly SavedWaiter[]
  readonly granted: readonly SavedGrant[]
  readonly logs: readonly (readonly [ModelId, { steps: ModelLog['steps']; cause: WaitCause | null }])[]
  /** Per caller and model when its latest request counts as arrived. */
  readonly lastArrivals: readonly (readonly [string, number])[]
  readonly dispatched: Readonly<Record<Band, number>>
  readonly measures: ReturnType<Measures['toJSON']>
  readonly claims: readonly Claim[]
  readonly agingReorders: number
  readonly affinityReorders: number
}

interface SavedWaiter {
  readonly request: Request
  readonly arrival: number
  readonly receivedAt: number
  readonly countsFrom: number
  readonly rank: number
  readonly attempts: number
  readonly steps: readonly TimelineStep[]
  readonly parked: boolean
}

interface SavedGrant {
  readonly request: RequestId
  readonly waiter: SavedWaiter
  readonly key: PlacementKey
  readonly epoch: Epoch
  readonly grantedAt: number
  readonly backfilled: boolean
}

const saveWaiter = ({ waiting: _waiting, steps, ...waiter }: Waiter): SavedWaiter => ({ ...waiter, steps: [...steps] })

const loadWaiter = (saved: SavedWaiter, waiting: boolean): Waiter => ({ ...saved, steps: [...saved.steps], waiting })

const byArrival = (a: SavedWaiter, b: SavedWaiter): number => a.arrival - b.arrival

export const saveState = (state: State): Snapshot =>
  structuredCopy({
    version: 1,
    now: state.now,
    nextArrival: state.nextArrival,
    nextGeneration: state.nextGeneration,
    random: state.random,
    closed: state.closed ?? null,
    hosts: [...state.hosts],
    taken: [...state.taken],
    memory: [...state.memory].map(([host, { report }]) => [host, report]),
    placements: [...state.placements.values()],
    swaps: [...state.swaps.values()],
    stops: [...state.stops.values()],
    unloads: [...state.unloads].map(([id, { pending, outcomes }]) => [id, { pending: [...pending], outcomes }]),
    cooldowns: [...state.cooldowns],
    pins: [...state.pins],
    dismissed: [...state.dismissed],
    waiters: [...state.room.waiters()].map((waiter) => saveWaiter(waiter)).toSorted(byArrival),
    granted: [...state.granted].map(([request, { waiter, key, epoch, grantedAt, backfilled }]) => ({
      request,
      waiter: saveWaiter(waiter),
      key,
      epoch,
      grantedAt,
      backfilled,
    })),
    logs: [...state.logs].map(([model, log]) => [model, { steps: log.steps, cause: log.cause ?? null }]),
    lastArrivals: state.room.callers.toJSON(),
    dispatched: state.dispatched,
    measures: state.measures.toJSON(),
    claims: state.claims,
    agingReorders: state.agingReorders,
    affinityReorders: state.affinityReorders,
  })

/** A copy that shares nothing with the live state, and proves that it is JSON. */
const structuredCopy = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot

export const loadState = (given: Snapshot): State => {
  if (given.version !== 1) throw new Error(`snapshot of unknown version ${String(given.version)}`)
  const saved = structuredCopy(given)
  const state = newState()
  state.now = saved.now
  state.nextArrival = saved.nextArrival
  state.nextGeneration = saved.nextGeneration
  state.random = saved.random
  state.closed = saved.closed ?? undefined
  for (const [host, up] of saved.hosts) state.hosts.set(host, up)
  for (const [host, failure] of saved.taken ?? []) state.taken.set(host, failure)
  for (const [host, report] of saved.memory ?? []) state.memory.set(host, hostMemory(report))
  for (const placement of saved.placements) restorePlacement(state, placement)
  for (const swap of saved.swaps) state.swaps.set(swap.swap.generation, swap)
  for (const stop of saved.stops) state.stops.set(stop.generation, stop)
  for (const [id, { pending, outcomes }] of saved.unloads) {
    state.unloads.set(id, { pending: new Set(pending), outcomes: [...outcomes] })
  }
  for (const [key, cooldown] of saved.cooldowns) state.cooldowns.set(key, cooldown)
  for (const [model, pinned] of saved.pins) state.pins.set(model, pinned)
  for (const model of saved.dismissed) state.dismissed.add(model)
  for (const waiter of saved.waiters) state.room.add(loadWaiter(waiter, true))
  for (const { request, waiter, ...grant } of saved.granted) {
    state.granted.set(request, { ...grant, waiter: loadWaiter(waiter, false) })
    if (isCounted(waiter.request)) state.room.callers.enter(waiter.request)
  }
  for (const [model, { steps, cause }] of saved.logs) state.logs.set(model, new ModelLog(steps, cause ?? undefined))
  state.room.callers.restore(saved.lastArrivals)
  Object.assign(state.dispatched, saved.dispatched)
  state.measures = Measures.restore(saved.measures)
  state.claims = [...saved.claims]
  state.agingReorders = saved.agingReorders
  state.affinityReorders = saved.affinityReorders
  return state
}

/** JSON has no `undefined`: keys that were dropped are put back as such. */
const restorePlacement = (state: State, saved: PlacementState): void => {
  const target: PlacementState = {
    ...saved,
    leaving: saved.leaving,
    drainingSince: saved.drainingSince,
    lastFailure: saved.lastFailure,
    sample: saved.sample,
    prefixes: restorePrefixes(saved.prefixes),
  }
  state.placements.set(target.key, target)
  if (target.process.phase === 'stopped') return
  const residents = state.residents.get(target.placement.host) ?? new Set()
  state.residents.set(target.placement.host, residents.add(target))
}
