import { isServing, type PlacementState } from '../state/placement.ts'
import type { Turn } from '../turn.ts'

/** When a serving model that must go is cut; undefined: never, or nobody waits for it. */
export const drainEnd = ({ rules }: Turn, target: PlacementState): number | undefined => {
  const { drainTimeoutMs } = rules.options.limits
  if (drainTimeoutMs === 'never' || target.drainingSince === undefined) return undefined
  return target.drainingSince + drainTimeoutMs
}

export const isDrainOver = (turn: Turn, target: PlacementState): boolean => {
  const end = drainEnd(turn, target)
  return end !== undefined && turn.now >= end
}

/** When the next drain that somebody waits for reaches its limit. */
export const nextDrainEnd = (turn: Turn): number | undefined => {
  let next: number | undefined
  for (const residents of turn.state.residents.values()) {
    for (const target of residents) {
      const end = isServing(target) ? drainEnd(turn, target) : undefined
      if (end !== undefined && end > turn.now && (next === undefined || end < next)) next = end
    }
  }
  return next
}
