import { ANONYMOUS } from '../../ids.ts'
import type { Request } from '../request.ts'
import type { Turn } from '../turn.ts'
import { settingsOf } from './score.ts'

/** Callers remembered per scheduler; the one that was served the longest ago is forgotten first. */
const REMEMBERED = 10_000

/**
 * When a request counts as arrived: a caller's requests for one model are spaced by the time that serving one takes,
 * so that five hundred at once do not stand before another caller's one. Without keys there is nobody to share with.
 */
export const virtualArrival = (turn: Turn, { caller, model }: Request): number => {
  const { state, now } = turn
  if (!settingsOf(turn).fairShare || caller === ANONYMOUS) return now
  const key = `${model.length}:${model}/${caller}`
  const previous = state.lastArrivals.get(key)
  const spacing = state.measures.median('service', model) ?? 0
  const arrived = previous === undefined ? now : Math.max(now, previous + spacing)
  state.lastArrivals.delete(key)
  state.lastArrivals.set(key, arrived)
  if (state.lastArrivals.size > REMEMBERED) {
    const [oldest] = state.lastArrivals.keys()
    if (oldest !== undefined) state.lastArrivals.delete(oldest)
  }
  return arrived
}
