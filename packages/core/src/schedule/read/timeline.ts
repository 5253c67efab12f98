import type { RequestId } from '../../ids.ts'
import type { RequestTimeline, TimelineStep } from '../../timeline/timeline.ts'
import type { State } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'

/** The request's own steps joined with what its model's waiters shared while it waited. */
export const timelineOf = (state: State, request: RequestId): RequestTimeline | undefined => {
  const waiter = state.room.get(request) ?? state.granted.get(request)?.waiter ?? state.rejected.get(request)
  if (waiter === undefined) return undefined
  // Granted as it came, it shares nothing with others; the loop asks for each that ends
  if (waiter.steps.length === 3 && isAtOnce(waiter)) return { request, steps: [...waiter.steps] }
  const steps: TimelineStep[] = []
  let from: number | undefined
  for (const step of waiter.steps) {
    if (from !== undefined && step.type !== 'queued') {
      steps.push(...sharedSteps(state, waiter, { from, to: step.at, isOver: true }))
      from = undefined
    }
    steps.push(step)
    if (step.type === 'queued' || step.type === 'requeued') from = step.at
  }
  if (from !== undefined) steps.push(...sharedSteps(state, waiter, { from, to: state.now, isOver: false }))
  return { request, steps }
}

const isAtOnce = ({ steps: [, queued, last] }: Waiter): boolean =>
  queued?.type === 'queued' && last?.type === 'granted' && last.at === queued.at

/** A stay in the queue: from its arrival, or from an attempt that failed, to its end or now. */
interface Wait {
  readonly from: number
  readonly to: number
  readonly isOver: boolean
}

/** The cause that held when the wait began counts from its begin; one that begins with its end is only others'. */
const sharedSteps = (state: State, waiter: Waiter, { from, to, isOver }: Wait): TimelineStep[] => {
  const log = state.logs.get(waiter.request.model)
  if (log === undefined || (isOver && to === from)) return []
  const during: TimelineStep[] = []
  let first: TimelineStep | undefined
  for (const step of log.steps) {
    if (step.at > to) break
    const isBlocked = step.type === 'blocked'
    if (isBlocked && step.at <= from) first = { ...step, at: from }
    else if (step.at >= from && !(isBlocked && isOver && step.at === to)) during.push(step)
  }
  return first === undefined ? during : [first, ...during]
}
