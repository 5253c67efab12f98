import type { Failure } from '../../errors/failure.ts'
import type { ModelPolicy } from '../options.ts'
import type { PlacementState } from '../state/placement.ts'
import type { Cooldown, State } from '../state/state.ts'
import type { Turn } from '../turn.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** A process that lived this long after ready is not broken: its crash starts no cooldown. */
const STEADY_MS = 30_000

/** Everywhere by the definition that we know: who edits it wants another try, also where an agent has its own. */
const cooldownKey = (policy: ModelPolicy, target: PlacementState): string => `${target.key} ${policy.commandHash}`

/** The cooldown that holds now; undefined: it may be started. */
export const coolingDown = (turn: Turn, policy: ModelPolicy, target: PlacementState): Cooldown | undefined => {
  // Mostly there is none, and every look at a blocked model asks
  if (turn.state.cooldowns.size === 0) return undefined
  const found = turn.state.cooldowns.get(cooldownKey(policy, target))
  return found !== undefined && found.until > turn.now ? found : undefined
}

/** The model broke here: it evicts nobody for 1 s, and twice as long each further time, up to a minute. */
export const startCooldown = (
  turn: Turn,
  policy: ModelPolicy,
  broken: { target: PlacementState; failure: Failure },
): void => {
  const key = cooldownKey(policy, broken.target)
  const failures = (turn.state.cooldowns.get(key)?.failures ?? 0) + 1
  const lasts = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  turn.state.dismissed.add(policy.id)
  turn.state.cooldowns.set(key, { until: turn.now + lasts, failures, failure: broken.failure })
}

/** A process ended: had it been steady, its model's earlier failures are forgotten. True when it was. */
export const forgiveIfSteady = (turn: Turn, policy: ModelPolicy, target: PlacementState): boolean => {
  if (target.process.phase !== 'ready' || turn.now - target.since < STEADY_MS) return false
  turn.state.cooldowns.delete(cooldownKey(policy, target))
  return true
}

/** What broke there is another one now. */
export const endCooldown = ({ state }: Turn, policy: ModelPolicy, target: PlacementState): void =>
  void state.cooldowns.delete(cooldownKey(policy, target))

/** When the next cooldown ends. */
export const nextCooldownEnd = (state: State): number | undefined => {
  let next: number | undefined
  for (const { until } of state.cooldowns.values()) {
    if (until > state.now && (next === undefined || until < next)) next = until
  }
  return next
}
