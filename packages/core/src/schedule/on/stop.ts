import { walk } from '../dispatch/walk.ts'
import { rejectAllOf } from '../act/reject.ts'
import { stop } from '../act/stop.ts'
import { swapAt } from '../act/swap.ts'
import type { StopDone, UnloadAsked } from '../events.ts'
import type { Policy } from '../policy.ts'
import { forgiveIfSteady } from '../rules/cooldown.ts'
import { isPinned } from '../rules/pins.ts'
import { wouldNotEnd } from '../rules/stuck.ts'
import { pendingEndOf } from '../state/orders.ts'
import { livesOn, type PlacementState } from '../state/placement.ts'
import { placementOf, setProcess, setStuck, type UnloadState } from '../state/state.ts'
import type { StopOutcome } from '../swap.ts'
import type { Turn } from '../turn.ts'

/** Waiters of the targets end, their processes stop, and the caller hears of it when they have. */
export const onUnload = (turn: Turn, policy: Policy, asked: UnloadAsked): void => {
  const { state, rules } = turn
  const named = asked.targets === 'all' ? undefined : new Set(asked.targets)
  const targets: PlacementState[] = []
  for (const model of rules.models.values()) {
    if (named === undefined ? isPinned(turn, model.id) && !asked.force : !named.has(model.id)) continue
    if (named !== undefined && isPinned(turn, model.id)) state.pins.set(model.id, false)
    state.dismissed.add(model.id)
    rejectAllOf(turn, model.id, {
      code: 'unloaded',
      message: `model ${model.id} was unloaded while the request waited`,
    })
  }
  for (const target of state.placements.values()) {
    if (target.process.phase === 'stopped' || !isTarget(turn, asked, target)) continue
    targets.push(target)
  }
  stop(turn, { targets, drainMs: asked.force ? 0 : asked.drainMs, reason: 'unload' })
  const unload: UnloadState = { pending: new Set(targets.map((target) => target.key)), outcomes: [] }
  if (unload.pending.size === 0) turn.commands.push({ type: 'answer-unload', unload: asked.unload, outcomes: [] })
  else state.unloads.set(asked.unload, unload)
  walk(turn, policy)
}

const isTarget = (turn: Turn, asked: UnloadAsked, { placement }: PlacementState): boolean => {
  if (asked.targets !== 'all') return asked.targets.includes(placement.model)
  return asked.force || !isPinned(turn, placement.model)
}

/** The one answer to a stop. */
export const onStopDone = (turn: Turn, policy: Policy, { generation, outcomes }: StopDone): void => {
  const { state } = turn
  if (!state.stops.delete(generation)) return
  for (const outcome of outcomes) {
    const target = placementOf(state, outcome.placement)
    const isLatest = target.leaving === generation
    if (isLatest) target.leaving = pendingEndOf(state, target)
    if (outcome.outcome === 'stopped') {
      const model = turn.rules.models.get(outcome.placement.model)
      if (model !== undefined) forgiveIfSteady(turn, model, target)
      // A load among the targets is answered by its own swap.
      const load = swapAt(state, target)
      if (load !== undefined) load.stopped = true
      if (target.process.phase !== 'loading') setProcess(state, target, { phase: 'stopped' })
    } else if (isLatest || livesOn(target)) {
      setStuck(state, target, outcome.failure ?? wouldNotEnd(outcome.placement.model))
    }
    answerUnloads(turn, target, outcome)
  }
  walk(turn, policy)
}

const answerUnloads = (turn: Turn, target: PlacementState, outcome: StopOutcome): void => {
  for (const [unload, asked] of turn.state.unloads) {
    if (!asked.pending.delete(target.key)) continue
    asked.outcomes.push(outcome)
    if (asked.pending.size > 0) continue
    turn.state.unloads.delete(unload)
    turn.commands.push({ type: 'answer-unload', unload, outcomes: asked.outcomes })
  }
}
