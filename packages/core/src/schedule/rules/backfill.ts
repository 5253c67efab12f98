import type { Claim } from '../state/state.ts'
import type { Waiter } from '../state/waiter.ts'
import type { Turn } from '../turn.ts'

/** The share of requests that are done by the time that is taken for an estimate of their end. */
const SURE = 0.9

/**
 * Whether a waiter may use a slot that is held for another: only where its own end is expected before the drain's, so
 * that the other is not delayed. What was let in like that does not count as drain, or holds would never end.
 */
export const mayBackfill = (turn: Turn, { request }: Waiter, held: Claim): boolean => {
  const { state, rules, now } = turn
  const { policy } = rules.options
  if (policy.use !== 'serial' || !policy.backfill || !request.takesSlot) return false
  const own = state.measures.quantile('service', request.model, SURE)
  if (own === undefined) return false
  for (const { key, waiter, grantedAt, backfilled } of state.granted.values()) {
    if (backfilled || !held.keys.includes(key)) continue
    const theirs = state.measures.quantile('service', waiter.request.model, SURE)
    if (theirs !== undefined && now + own <= grantedAt + theirs) return true
  }
  return false
}
