import type { EndedState, RunningState, WaitingState } from '@lswap/core/protocol'
import { bandOf, type QueueEntry, type Request } from '@lswap/core'
import type { RequestRecord } from '../loop.ts'
import { toldFailure } from './told-failure.ts'

const askedState = ({ id, model, priority, caller }: Request, receivedAt: number) => ({
  id,
  model,
  band: bandOf(priority),
  priority,
  caller,
  receivedAt: Math.round(receivedAt),
})

export const waitingState = (entry: QueueEntry, now: number): WaitingState => ({
  id: entry.request,
  model: entry.model,
  band: entry.band,
  priority: entry.priority,
  caller: entry.caller,
  receivedAt: Math.round(entry.receivedAt),
  position: entry.position,
  attempts: entry.attempts,
  estimate:
    entry.estimate === undefined
      ? null
      : {
          lowAt: Math.round(now + entry.estimate.lowMs),
          medianAt: Math.round(now + entry.estimate.medianMs),
          highAt: Math.round(now + entry.estimate.highMs),
          ...(entry.estimate.isLimit === true ? { isLimit: true } : {}),
        },
  cause: entry.cause === undefined ? null : { type: entry.cause.type, text: entry.label },
})

export const runningState = ({ asked, receivedAt, placement, ...rest }: RequestRecord): RunningState => ({
  ...askedState(asked, receivedAt),
  host: placement?.host ?? '?',
  grantedAt: Math.round(rest.grantedAt ?? receivedAt),
  answeredAt: rest.answeredAt === undefined ? null : Math.round(rest.answeredAt),
})

export const endedState = ({ asked, receivedAt, placement, state, endedAt, failure }: RequestRecord): EndedState => ({
  ...askedState(asked, receivedAt),
  host: placement?.host ?? null,
  outcome: state,
  endedAt: Math.round(endedAt ?? receivedAt),
  failure: toldFailure(failure),
})
