import type { Failure } from '../../errors/failure.ts'
import type { ModelId } from '../../ids.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** Ends a waiter with an error. */
export const reject = (turn: Turn, waiter: Waiter, failure: Failure): void => {
  turn.state.room.remove(waiter)
  waiter.steps.push({ at: turn.now, type: 'rejected', failure })
  turn.state.rejected.set(waiter.request.id, waiter)
  turn.commands.push({ type: 'reject', request: waiter.request.id, failure })
}

/** Ends every waiter of a model, in order of arrival. */
export const rejectAllOf = (turn: Turn, model: ModelId, failure: Failure): void => {
  for (const waiter of turn.state.room.allOf(model)) reject(turn, waiter, failure)
}

/** For requests that outlive their model's place in the configuration. */
export const notConfigured = (model: ModelId): Failure => ({
  code: 'model_not_found',
  message: `model ${model} is no longer configured`,
})
