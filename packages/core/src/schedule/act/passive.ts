import type { Failure } from '../../errors/failure.ts'
import type { Request } from '../request.ts'
import { isOpen, type PlacementState } from '../state/placement.ts'
import { placementsOf, type Turn } from '../turn.ts'

/** Why a passive request was granted. */
export const ONLY_LOOKS = 'it only looks'

/** Where a passive request is served at once: it takes nothing from anybody, so no order and no hold stops it. */
export const openReplicaFor = (turn: Turn, { passive, model }: Request): PlacementState | undefined => {
  const policy = passive === true ? turn.rules.models.get(model) : undefined
  if (policy === undefined || turn.state.closed !== undefined) return undefined
  return placementsOf(turn, policy).find((target) => isOpen(target))
}

/** What only looks ends now, at one process or everywhere, so that no drain waits for it. */
export const closePassive = (turn: Turn, failure: Failure, at?: PlacementState): void => {
  for (const [request, { waiter, key }] of turn.state.granted) {
    const isThere = at === undefined || key === at.key
    if (waiter.request.passive === true && isThere) turn.commands.push({ type: 'close', request, failure })
  }
}
