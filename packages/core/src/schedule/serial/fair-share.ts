import { ANONYMOUS } from '../../ids.ts'
import type { Request } from '../request.ts'
import type { Turn } from '../turn.ts'
import { settingsOf } from './score.ts'

/** Taken for the service time of a model that has served nobody yet, as in what a refused client is told. */
const UNKNOWN_MS = 5_000

/**
 * When a request counts as arrived: a caller's requests for one model are spaced by the time that serving one takes,
 * so that five hundred at once do not stand before another caller's one. Without keys there is nobody to share with.
 */
export const virtualArrival = (turn: Turn, request: Request): number => {
  const { state, now } = turn
  if (!settingsOf(turn).fairShare || request.caller === ANONYMOUS) return now
  const { callers } = state.room
  const previous = callers.lastArrivalOf(request)
  const spacing = state.measures.median('service', request.model) ?? UNKNOWN_MS
  const countsFrom = previous === undefined ? now : Math.max(now, previous + spacing)
  callers.noteArrival(request, countsFrom)
  return countsFrom
}
