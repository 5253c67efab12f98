import type { PlacementState } from '../state/placement.ts'
import type { Turn } from '../turn.ts'

/** Until when a model just loaded is not swapped out, while somebody wants it; undefined: it may go. */
export const residencyEnd = ({ state, rules, now }: Turn, target: PlacementState): number | undefined => {
  const { policy } = rules.options
  if (policy.use !== 'serial' || policy.minResidencyMs === 0 || target.process.phase !== 'ready') return undefined
  if (state.room.depthOf(target.placement.model) === 0) return undefined
  const end = target.since + policy.minResidencyMs
  return end > now ? end : undefined
}

/** When the next residency ends that keeps a model. */
export const nextResidencyEnd = (turn: Turn): number | undefined => {
  let next: number | undefined
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) {
      const end = residencyEnd(turn, target)
      if (end !== undefined && (next === undefined || end < next)) next = end
    }
  }
  return next
}
