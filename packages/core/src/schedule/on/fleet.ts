import { hostMemory } from '../../evict/memory/host-memory.ts'
import { serveModel } from '../dispatch/serve.ts'
import { walk } from '../dispatch/walk.ts'
import type { Epoch } from '../../ids.ts'
import { stopOutdated } from '../act/outdated.ts'
import type { FleetChanged, FleetObservation } from '../events.ts'
import type { Policy } from '../policy.ts'
import { isCounted } from '../request.ts'
import { endCooldown, forgiveIfSteady, startCooldown } from '../rules/cooldown.ts'
import { definitionOn } from '../rules/definition.ts'
import type { PlacementState } from '../state/placement.ts'
import { isSaturated, placementOf, residentsOn, setProcess, type State } from '../state/state.ts'
import { noteSample } from '../state/sample.ts'
import { slotsOf, type Turn } from '../turn.ts'

/** A host or a process changed on its own. Reports about an older start of a process are stale and ignored. */
export const onFleetChange = (turn: Turn, policy: Policy, { observation }: FleetChanged): void => {
  switch (observation.type) {
    case 'host-appeared':
      appeared(turn, observation)
      break
    case 'host-vanished':
      vanished(turn, observation)
      break
    case 'host-removed':
      removed(turn, observation)
      break
    case 'process-exited':
      if (!exited(turn, observation)) return
      break
    case 'process-leaving':
      if (!leaves(turn, observation)) return
      break
    case 'redefined':
      redefined(turn, observation)
      break
    case 'memory-seen':
      turn.state.memory.set(observation.host, hostMemory(observation.memory))
      break
    case 'sampled':
      return sampled(turn, policy, observation)
    default:
      return observation satisfies never
  }
  walk(turn, policy)
}

type Of<Type extends FleetObservation['type']> = Extract<FleetObservation, { type: Type }>

/** The list is complete: what it lacks ended while nobody could tell. */
const appeared = (turn: Turn, { host, ready, changing = [] }: Of<'host-appeared'>): void => {
  const { state, rules } = turn
  state.hosts.set(host, true)
  state.taken.delete(host)
  const alive = new Set([...ready, ...changing].map(({ model }) => model))
  for (const target of residentsOn(state, host)) {
    if (target.process.phase === 'loading' || alive.has(target.placement.model)) continue
    setProcess(state, target, { phase: 'stopped' })
  }
  for (const { model, epoch } of changing) noteChanging(state, placementOf(state, { model, host }), epoch)
  for (const { model, epoch, slots, processHash } of ready) {
    const policy = rules.models.get(model)
    const target = placementOf(state, { model, host })
    if (target.process.phase === 'loading') continue
    if (target.process.phase === 'ready' && target.process.epoch === epoch) continue
    setProcess(state, target, {
      phase: 'ready',
      epoch,
      slots: policy === undefined ? 1 : slotsOf(policy, slots),
      ...(slots === undefined ? {} : { told: slots }),
      processHash: processHash ?? (policy === undefined ? '' : definitionOn(policy, host).processHash),
    })
    recount(state, target, epoch)
  }
  stopOutdated(turn)
}

/** It lives, and nobody may use it: nothing is started beside it that could not stay there. */
const noteChanging = (state: State, target: PlacementState, epoch: Epoch): void => {
  const { process, drainingSince } = target
  if (process.phase === 'loading') return
  const isSame = process.phase !== 'stopped' && (process.epoch ?? epoch) === epoch
  if (isSame && process.phase !== 'ready') return
  setProcess(state, target, { phase: 'changing', epoch })
  recount(state, target, epoch)
  if (isSame) target.drainingSince = drainingSince
}

/** What the process served when its host went away may still be running: each of them ends once, and is counted down then. */
const recount = (state: State, target: PlacementState, epoch: Epoch): void => {
  for (const granted of state.granted.values()) {
    if (granted.key !== target.key || granted.epoch !== epoch) continue
    if (granted.waiter.request.takesSlot) target.inFlight += 1
    else if (isCounted(granted.waiter.request)) target.holding += 1
  }
}

/** Swaps and stops that run there are still answered, each once, by the loop. */
const vanished = (turn: Turn, { host, failure }: Of<'host-vanished'>): void => {
  turn.state.hosts.set(host, false)
  if (failure.code === 'fenced') turn.state.taken.set(host, failure)
  else turn.state.taken.delete(host)
  for (const target of residentsOn(turn.state, host)) {
    if (target.process.phase === 'loading') continue
    const { prefixes } = target
    setProcess(turn.state, target, { phase: 'stopped' })
    target.lastFailure = failure
    // It may only be out of sight; if it is there again as what it was, so is its cache
    target.prefixes = prefixes
  }
}

/** What would not end there is out of reach for good: it is no longer in anybody's way. */
const removed = ({ state }: Turn, { host }: Of<'host-removed'>): void => {
  state.hosts.delete(host)
  state.taken.delete(host)
  state.memory.delete(host)
  for (const target of residentsOn(state, host)) {
    if (target.process.phase !== 'loading') setProcess(state, target, { phase: 'stopped' })
  }
  for (const target of state.placementIndex.get(host)?.values() ?? []) target.prefixes = undefined
}

/** Fresh metrics matter at once to those who wait because of the last ones. */
const sampled = (turn: Turn, policy: Policy, { placement, epoch, metrics }: Of<'sampled'>): void => {
  const { state } = turn
  const target = placementOf(state, placement)
  if (target.process.phase !== 'ready' || target.process.epoch !== epoch) return
  if (!noteSample(state, target, metrics)) return
  if (isSaturated(state, placement.model)) serveModel(turn, policy, placement.model)
}

/** What its agent ends on its own account is used by nobody from here; what we ordered to end has an answer of its own. */
const leaves = ({ state }: Turn, { placement, epoch }: Of<'process-leaving'>): boolean => {
  const target = placementOf(state, placement)
  if (target.process.phase !== 'ready' || target.process.epoch !== epoch || target.leaving !== undefined) return false
  noteChanging(state, target, epoch)
  return true
}

/** That a start failed says nothing about another one. */
const redefined = (turn: Turn, { host, models }: Of<'redefined'>): void => {
  for (const model of models) {
    const policy = turn.rules.models.get(model)
    if (policy !== undefined) endCooldown(turn, policy, placementOf(turn.state, { model, host }))
  }
}

const exited = (turn: Turn, { placement, epoch, failure }: Of<'process-exited'>): boolean => {
  const target = placementOf(turn.state, placement)
  const { process } = target
  if ((process.phase === 'stuck' || process.phase === 'changing') && (process.epoch ?? epoch) === epoch) {
    // It ended after all, and its memory is free.
    setProcess(turn.state, target, { phase: 'stopped' })
    return true
  }
  if (target.process.phase !== 'ready' || target.process.epoch !== epoch) return false
  const policy = turn.rules.models.get(placement.model)
  const isCurrent =
    policy !== undefined && definitionOn(policy, placement.host).processHash === target.process.processHash
  if (isCurrent && !forgiveIfSteady(turn, policy, target)) startCooldown(turn, policy, { target, failure })
  setProcess(turn.state, target, { phase: 'stopped' })
  target.lastFailure = failure
  return true
}
