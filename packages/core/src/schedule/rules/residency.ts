import type { PlacementState } from '../state/placement.ts'
import type { Turn } from '../turn.ts'

/** When the time ends in which a model just loaded is kept; undefined: it is over. */
const lastingEnd = ({ rules, now }: Turn, { process, since }: PlacementState): number | undefined => {
  const { policy } = rules.options
  if (policy.use !== 'serial' || process.phase !== 'ready') return undefined
  const end = since + policy.minResidencyMs
  return end > now ? end : undefined
}

/** Until when a model just loaded is not swapped out, as somebody wants it; undefined: it may go. */
export const residencyEnd = (turn: Turn, target: PlacementState): number | undefined =>
  turn.state.room.isWanted(target.placement.model) ? lastingEnd(turn, target) : undefined

/** When the next residency ends, also of a model that nobody wants just now: somebody may when it is over. */
export const nextResidencyEnd = (turn: Turn): number | undefined => {
  let next: number | undefined
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) {
      const end = lastingEnd(turn, target)
      if (end !== undefined && (next === undefined || end < next)) next = end
    }
  }
  return next
}
