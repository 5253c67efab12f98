import { walk } from '../dispatch/walk.ts'
import { serveModel } from '../dispatch/serve.ts'
import type { Failure } from '../../errors/failure.ts'
import { reject } from '../act/reject.ts'
import type { ServeDone } from '../events.ts'
import type { Policy } from '../policy.ts'
import { isServing } from '../state/placement.ts'
import type { Granted } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
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
  const freed = release(turn, ended)
  if (outcome === 'retry') {
    requeue(turn, ended)
  } else {
    ended.waiter.steps.push({ at: now, type: 'done' })
    // One that was cut says nothing about how long serving takes.
    if (ended.waiter.request.takesSlot && freed !== 'gone') state.measures.add('service', model, now - ended.grantedAt)
  }
  if (freed === 'drained') walk(turn, policy)
  else if (state.room.depthOf(model) > 0) serveModel(turn, policy, model)
}

const release = (turn: Turn, { key, epoch, waiter }: Granted): 'drained' | 'freed' | 'gone' => {
  const target = turn.state.placements.get(key)
  if (target === undefined || !('epoch' in target.process) || target.process.epoch !== epoch) return 'gone'
  if (waiter.request.takesSlot) target.inFlight -= 1
  else target.holding -= 1
  target.idleSince = turn.now
  return isServing(target) ? 'freed' : 'drained'
}

/** Back in its old place: the same arrival and rank. */
const requeue = (turn: Turn, { waiter }: Granted): void => {
  const { state, now } = turn
  const failure = lastWord(turn, waiter)
  if (failure !== undefined) return reject(turn, waiter, failure)
  waiter.steps.push({ at: now, type: 'requeued' })
  state.room.add({ ...waiter, waiting: true })
}

/** Why it can not be tried again. */
const lastWord = ({ state }: Turn, { request, attempts }: Waiter): Failure | undefined => {
  const { model } = request
  if (state.closed !== undefined) return state.closed
  if (attempts < MAX_ATTEMPTS) return undefined
  return { code: 'upstream_unreachable', message: `model ${model} failed ${attempts} times before any answer` }
}
