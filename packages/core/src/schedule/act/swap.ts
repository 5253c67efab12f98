import { generation, type Generation, type ModelId, type Placement } from '../../ids.ts'
import { definitionOn } from '../rules/definition.ts'
import type { PlacementState } from '../state/placement.ts'
import { logOf, placementOf, setProcess, type State, type SwapState } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import { slotsOf, type Turn } from '../turn.ts'
import { closePassive } from './passive.ts'

export const nextGeneration = (state: State): Generation => {
  const made = generation(state.nextGeneration)
  state.nextGeneration += 1
  return made
}

interface SwapPlan {
  readonly target: PlacementState
  readonly evict: readonly PlacementState[]
  readonly afterOutOfMemory: boolean
  /** Absent: somebody asked for it. */
  readonly reason?: 'restore'
}

/** Commands a swap: the target counts as running from here, and what must go takes no new work. Loads among them are given up. */
export const startSwap = (turn: Turn, { target, evict, afterOutOfMemory, reason }: SwapPlan): SwapState => {
  const { state, now } = turn
  const { model, host } = target.placement
  const made = nextGeneration(state)
  const models = evict.map((victim) => victim.placement.model)
  // Only a swap that nobody waits for can have evicted one of them already: it gives way.
  for (const running of state.swaps.values()) {
    const { host: where, evict: victims } = running.swap
    if (where === host && victims.some((victim) => models.includes(victim))) abortSwap(turn, running)
  }
  for (const victim of evict) {
    const load = swapAt(state, victim)
    if (load !== undefined) abortSwap(turn, load)
    if (victim.leaving === undefined) {
      closePassive(turn, { code: 'evicted', message: `the model had to make room for ${model}` }, victim)
    }
    victim.leaving = made
  }
  const policy = turn.rules.models.get(model)
  if (policy === undefined) throw new Error(`a swap to ${model}, which is not configured`)
  const { commandHash, processHash } = definitionOn(policy, host)
  setProcess(state, target, { phase: 'loading', generation: made, commandHash, processHash })
  const started: SwapState = {
    swap: { generation: made, model, host, evict: models },
    startedAt: now,
    leased: [],
    afterOutOfMemory,
    aborting: false,
    stopped: false,
  }
  state.swaps.set(made, started)
  state.dismissed.delete(model)
  logOf(state, model).record({
    at: now,
    type: 'swap-started',
    generation: made,
    placement: target.placement,
    evict: models,
    ...(reason === undefined ? {} : { reason }),
  })
  turn.commands.push({ type: 'start-swap', swap: started.swap, ...(reason === undefined ? {} : { reason }) })
  leaseWaiters(turn, started)
  return started
}

/** The first waiters of a load hold the model until they are granted; later ones are ordered like anyone. */
const leaseWaiters = (turn: Turn, started: SwapState): void => {
  const slots = leasesOf(turn, started.swap)
  const queue = turn.state.room.queueOf(started.swap.model)
  if (queue === undefined) return
  for (const waiter of queue.slotted.first(slots)) started.leased.push(waiter.request.id)
}

/** One waiter joins a running load, and leases it while there is room. */
export const joinSwap = (turn: Turn, waiter: Waiter, running: SwapState): void => {
  if (!waiter.request.takesSlot || running.leased.length >= leasesOf(turn, running.swap)) return
  if (!running.leased.includes(waiter.request.id)) running.leased.push(waiter.request.id)
}

const leasesOf = (turn: Turn, placement: Placement): number => {
  const policy = turn.rules.models.get(placement.model)
  return policy === undefined ? 0 : slotsOf(policy, undefined)
}

export const abortSwap = (turn: Turn, running: SwapState): void => {
  if (running.aborting) return
  running.aborting = true
  turn.commands.push({ type: 'abort-swap', generation: running.swap.generation })
}

/** The running swap that loads at a placement. */
export const swapAt = (state: State, target: PlacementState): SwapState | undefined =>
  target.process.phase === 'loading' ? state.swaps.get(target.process.generation) : undefined

/** A load that nobody waits for any more. */
export const isAbandoned = (state: State, running: SwapState): boolean => !state.room.isWanted(running.swap.model)

/** The placements of models on a host. */
export const placementsAt = (state: State, { host }: Placement, models: readonly ModelId[]): PlacementState[] =>
  models.map((model) => placementOf(state, { model, host }))
