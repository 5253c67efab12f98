import type { Failure } from '../../errors/failure.ts'
import type { Generation } from '../../ids.ts'
import type { Command } from '../commands.ts'
import type { DrainLimit } from '../options.ts'
import type { PlacementState } from '../state/placement.ts'
import type { Turn } from '../turn.ts'
import { closePassive } from './passive.ts'
import { abortSwap, nextGeneration, swapAt } from './swap.ts'

type StopReason = Extract<Command, { type: 'stop' }>['reason']

interface StopPlan {
  readonly targets: readonly PlacementState[]
  readonly drainMs: DrainLimit
  readonly reason: StopReason
}

const failureOf = (reason: StopReason, { placement: { model } }: PlacementState): Failure =>
  reason === 'unload'
    ? { code: 'unloaded', message: `model ${model} was unloaded` }
    : { code: 'evicted', message: `model ${model} was stopped: ${reason}` }

/** Commands a stop; a load among the targets is given up. They take no new work from here. */
export const stop = (turn: Turn, { targets, drainMs, reason }: StopPlan): Generation | undefined => {
  if (targets.length === 0) return undefined
  const made = nextGeneration(turn.state)
  for (const target of targets) {
    const loading = swapAt(turn.state, target)
    if (loading !== undefined) abortSwap(turn, loading)
    if (target.leaving === undefined) closePassive(turn, failureOf(reason, target), target)
    target.leaving = made
  }
  const placements = targets.map((target) => target.placement)
  turn.state.stops.set(made, { generation: made, placements })
  turn.commands.push({ type: 'stop', generation: made, placements, drainMs, reason })
  return made
}
