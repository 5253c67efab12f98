import { firstInLane } from '../dispatch/lane.ts'
import type { Policy } from '../policy.ts'
import { nextResidencyEnd } from '../rules/residency.ts'
import { virtualArrival } from './fair-share.ts'
import { countReorders } from './reorders.ts'
import { rankAt, scoreOf, settingsOf } from './score.ts'

/**
 * One after the other: the request with the best score goes next. Score = priority + waiting ÷ aging − what a swap to
 * its model costs. Who must wait keeps what it needs from all lower scores, so nobody starves.
 */
export const serial: Policy = {
  arrivalOf: virtualArrival,
  rankOf: (turn, request, countsFrom) => rankAt(settingsOf(turn), request, countsFrom),
  headOf: (turn, model, lane) => firstInLane(turn.state.room.queueOf(model), lane),
  placeOf: (turn, waiter) => [scoreOf(turn, waiter), -waiter.countsFrom, -waiter.arrival],
  strengthOf: scoreOf,
  // A hold starts after the residency: until then the model serves on.
  keeps: (_turn, _waiter, cause) => cause.type !== 'residency',
  renewsDrains: true,
  note: countReorders,
  nextChange: nextResidencyEnd,
}
