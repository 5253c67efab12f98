import type { ModelId } from '../../ids.ts'
import { loadEstimateMs } from '../rules/estimate.ts'
import { idleAt } from '../rules/idle.ts'
import { isPinned } from '../rules/pins.ts'
import { sizeOf } from '../rules/residents.ts'
import { restoreOf } from '../rules/restore.ts'
import { BANDS } from '../request.ts'
import type {
  BandStats,
  ModelView,
  PlacementPhase,
  PlacementView,
  SchedulerStats,
  SchedulerView,
} from '../scheduler.ts'
import { isOpen, isServing, type PlacementState } from '../state/placement.ts'
import type { State } from '../state/state.ts'
import { isConfigured, placementsOf, type Turn } from '../turn.ts'

const phaseOf = ({ process, leaving }: PlacementState): PlacementPhase => {
  if (process.phase === 'stuck' || process.phase === 'stopped') return process.phase
  if (process.phase === 'changing') return 'stopping'
  return leaving === undefined ? process.phase : 'stopping'
}

const viewPlacement = (turn: Turn, target: PlacementState): PlacementView => {
  const idleUntil = idleAt(turn, target)
  const expectedLoadMs = loadEstimateMs(turn, target)
  const size = sizeOf(turn, target)
  return {
    placement: target.placement,
    phase: phaseOf(target),
    sinceMs: target.since,
    ...(target.process.phase === 'ready' ? { epoch: target.process.epoch, slots: target.process.slots } : {}),
    inFlight: target.inFlight,
    holding: target.holding,
    ...(isOpen(target) && !isServing(target) ? { idleSince: target.idleSince } : {}),
    ...(idleUntil === undefined ? {} : { idleUntil }),
    ...(expectedLoadMs === undefined ? {} : { expectedLoadMs }),
    ...(size === undefined ? {} : { size }),
    ...(target.lastFailure === undefined ? {} : { lastFailure: target.lastFailure }),
  }
}

/** Every configured model with its placements, in the order of the config; then what still runs and is configured no more. */
export const viewOf = (turn: Turn): SchedulerView => {
  const models = new Map<ModelId, ModelView>()
  for (const policy of turn.rules.models.values()) {
    const placements = placementsOf(turn, policy).map((target) => viewPlacement(turn, target))
    const restore = restoreOf(turn, policy)
    const loads = placements.flatMap(({ expectedLoadMs }) => expectedLoadMs ?? [])
    models.set(policy.id, {
      waiting: turn.state.room.depthOf(policy.id),
      pinned: isPinned(turn, policy.id),
      ...(restore === undefined ? {} : { restoreAt: restore.at }),
      ...(loads.length === 0 ? {} : { expectedLoadMs: Math.min(...loads) }),
      placements,
    })
  }
  for (const target of turn.state.placements.values()) {
    const { model } = target.placement
    if (target.process.phase === 'stopped' || isConfigured(turn, target.placement)) continue
    const known = models.get(model) ?? { waiting: 0, pinned: false, placements: [] }
    models.set(model, { ...known, placements: [...known.placements, viewPlacement(turn, target)] })
  }
  const hosts = [...turn.state.hosts].map(([host, up]) => ({ host, up }))
  return { hosts: hosts.toSorted((a, b) => (a.host < b.host ? -1 : 1)), models }
}

/** O(bands). */
export const statsOf = (state: State, now: number): SchedulerStats => {
  const entries = BANDS.map((band): [string, BandStats] => {
    const oldest = state.room.oldestIn(band)
    return [
      band,
      {
        depth: state.room.bandDepth(band),
        oldestWaitMs: oldest === undefined ? 0 : Math.max(0, now - oldest.receivedAt),
        dispatched: state.dispatched[band],
      },
    ]
  })
  const bands = Object.fromEntries(entries) as SchedulerStats['bands']
  return { bands, agingReorders: state.agingReorders, affinityReorders: state.affinityReorders }
}
