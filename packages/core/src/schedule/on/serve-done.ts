import { walk } from '../dispatch/walk.ts'
import { serveModel } from '../dispatch/serve.ts'
import { admitParked, park } from '../act/admit.ts'
import type { Failure } from '../../errors/failure.ts'
import type { ModelId, PlacementKey } from '../../ids.ts'
import { grant } from '../act/grant.ts'
import { ONLY_LOOKS, openReplicaFor } from '../act/passive.ts'
import { reject } from '../act/reject.ts'
import type { ServeDone } from '../events.ts'
import type { Policy } from '../policy.ts'
import { isCounted } from '../request.ts'
import { noteGivenUp } from '../state/lingering.ts'
import { isServing } from '../state/placement.ts'
import { noteRelease } from '../state/sample.ts'
import type { Claim, Granted } from '../state/state.ts'
import { countsBefore, type Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** Grants that one request may get, all causes together. */
export const MAX_ATTEMPTS = 2

/** A grant ended. The counts are those of the process it was granted to; a later process is not touched. */
export const onServeDone = (turn: Turn, policy: Policy, { request, outcome }: ServeDone): void => {
  const { state, now } = turn
  const ended = state.granted.get(request)
  if (ended === undefined) return
  state.granted.delete(request)
  const { model } = ended.waiter.request
  const freed = release(turn, ended, outcome)
  if (outcome === 'retry') {
    requeue(turn, ended)
  } else {
    // One that was cut says nothing about how long serving takes.
    if (ended.waiter.request.takesSlot && freed !== 'gone' && outcome === 'done')
      state.measures.add('service', model, now - ended.grantedAt)
  }
  if (isCounted(ended.waiter.request)) state.room.callers.leave(ended.waiter.request)
  const wasKept = state.claims.length > 0 && isClaimedBy(turn, ended.key, model)
  // One that was parked may have waited the longest of all: it is looked at in its place, not after others.
  if (freed === 'drained' || admitParked(turn).length > 0) return walk(turn, policy)
  if (state.room.isWanted(model)) serveModel(turn, policy, model)
  if (freed === 'freed' && isGivenUp(turn, ended.key, { model, wasKept })) walk(turn, policy)
}

/**
 * Whether a model that still serves is now to go for another: those who came first and wanted it have been served. The
 * decision to evict it, from which its drain is timed, is then to be made.
 */
const isGivenUp = (
  { state }: Turn,
  key: PlacementKey,
  { model, wasKept }: { readonly model: ModelId; readonly wasKept: boolean },
): boolean => {
  if (state.claims.length === 0 && !wasKept) return false
  if (state.placements.get(key)?.drainingSince !== undefined) return false
  const own = state.claims.find((made) => made.model === model && made.keys.includes(key))
  if (own === undefined && wasKept) return true
  return state.claims.some((made) => made.model !== model && made.keys.includes(key) && comesFirst(made, own))
}

const isClaimedBy = ({ state }: Turn, key: PlacementKey, model: ModelId): boolean =>
  state.claims.some((made) => made.model === model && made.keys.includes(key))

const comesFirst = (made: Claim, own: Claim | undefined): boolean =>
  own === undefined || (made.strength === own.strength ? countsBefore(made, own) : made.strength > own.strength)

const release = (turn: Turn, ended: Granted, outcome: ServeDone['outcome']): 'drained' | 'freed' | 'gone' => {
  const { key, epoch, waiter } = ended
  if (!isCounted(waiter.request)) return 'gone'
  const target = turn.state.placements.get(key)
  if (target === undefined || !('epoch' in target.process) || target.process.epoch !== epoch) return 'gone'
  noteRelease(target, ended)
  if (waiter.request.takesSlot) target.inFlight -= 1
  else target.holding -= 1
  if (outcome === 'given-up' && waiter.request.takesSlot) noteGivenUp(target, turn.now)
  target.idleSince = turn.now
  return isServing(target) ? 'freed' : 'drained'
}

/** Back in its old place: the same arrival and rank. */
const requeue = (turn: Turn, { waiter }: Granted): void => {
  const { state, now } = turn
  const failure = lastWord(turn, waiter)
  if (failure !== undefined) return reject(turn, waiter, failure)
  waiter.steps.push({ at: now, type: 'requeued' })
  const open = openReplicaFor(turn, waiter.request)
  if (open !== undefined) return grant(turn, waiter, { target: open, reason: ONLY_LOOKS })
  // What only looked did not count while it was served, and its caller may have come to its limit meanwhile.
  const parked = !isCounted(waiter.request) && state.room.callers.isAtLimit(waiter.request)
  const again: Waiter = { ...waiter, waiting: true, parked }
  state.room.add(again)
  if (parked) park(turn, again)
}

/** Why it can not be tried again. */
const lastWord = ({ state }: Turn, { request, attempts }: Waiter): Failure | undefined => {
  const { model } = request
  if (state.closed !== undefined) return state.closed
  if (attempts < MAX_ATTEMPTS) return undefined
  return { code: 'upstream_unreachable', message: `model ${model} failed ${attempts} times before any answer` }
}
