import type { FeedState, ModelState, WaitingState } from '@lswap/core/protocol'

/** An estimate may be off by this before it is told anew: nobody plans by less. */
const ESTIMATE_MS = 500
const ESTIMATE_SHARE = 0.1
/** What memory may change by: an engine's breathes all the time. */
const MEMORY_SHARE = 0.01

/** Keeps what was told where the new number says the same to a person, so that trembling figures make no events. */
export const steady = (before: FeedState, seen: FeedState, now: number): FeedState => {
  const waiting = new Map(before.waiting.map((one) => [one.id, one]))
  const models = new Map(before.models.map((one) => [one.model, one]))
  return {
    ...seen,
    waiting: seen.waiting.map((one) => steadyEstimate(waiting.get(one.id)?.estimate, one, now)),
    models: seen.models.map((one) => steadyMemory(models.get(one.model), one)),
  }
}

const steadyEstimate = (told: WaitingState['estimate'] | undefined, one: WaitingState, now: number): WaitingState => {
  const { estimate } = one
  if (told == null || estimate === null) return one
  const isClose = (a: number, b: number): boolean =>
    Math.abs(a - b) <= Math.max(ESTIMATE_MS, Math.abs(b - now) * ESTIMATE_SHARE)
  const isRight =
    isClose(told.lowAt, estimate.lowAt) &&
    isClose(told.medianAt, estimate.medianAt) &&
    isClose(told.highAt, estimate.highAt) &&
    told.isLimit === estimate.isLimit
  return isRight ? { ...one, estimate: told } : one
}

const steadyMemory = (told: ModelState | undefined, one: ModelState): ModelState => ({
  ...one,
  placements: one.placements.map((placement) => {
    const old = told?.placements.find(({ host, pid }) => host === placement.host && pid === placement.pid)?.memoryBytes
    const { memoryBytes } = placement
    if (old == null || memoryBytes === null || Math.abs(old - memoryBytes) > memoryBytes * MEMORY_SHARE)
      return placement
    return { ...placement, memoryBytes: old }
  }),
})
