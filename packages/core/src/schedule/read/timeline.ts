import type { RequestId } from '../../ids.ts'
import type { RequestTimeline, TimelineStep } from '../../timeline/timeline.ts'
import type { State } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'

const byTime = (a: TimelineStep, b: TimelineStep): number => a.at - b.at

/** The request's own steps joined with what its model's waiters shared while it waited. */
export const timelineOf = (state: State, request: RequestId): RequestTimeline | undefined => {
  const waiter = state.room.get(request) ?? state.granted.get(request)?.waiter
  if (waiter === undefined) return undefined
  const steps: TimelineStep[] = [...waiter.steps]
  for (const { from, to } of waits(waiter, state.now)) steps.push(...sharedSteps(state, waiter, { from, to }))
  return { request, steps: steps.toSorted(byTime) }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** When it was in the queue: from its arrival, and from each attempt that failed, to the next grant or now. */
const waits = (waiter: Waiter, now: number): Span[] => {
  const spans: Span[] = []
  let from: number | undefined
  for (const step of waiter.steps) {
    if (step.type === 'queued' || step.type === 'requeued') from = step.at
    else if (step.type === 'granted' && from !== undefined) {
      spans.push({ from, to: step.at })
      from = undefined
    }
  }
  if (from !== undefined) spans.push({ from, to: now })
  return spans
}

/** The cause that held when the wait began counts from its begin; later ones from when they came. */
const sharedSteps = (state: State, waiter: Waiter, { from, to }: Span): TimelineStep[] => {
  if (to <= from) return []
  const log = state.logs.get(waiter.request.model)
  if (log === undefined) return []
  const during: TimelineStep[] = []
  let first: TimelineStep | undefined
  for (const step of log.steps) {
    if (step.at > to) break
    if (step.at > from) during.push(step)
    else if (step.type === 'blocked') first = { ...step, at: from }
    else if (step.at === from) during.push(step)
  }
  return first === undefined ? during : [first, ...during]
}
