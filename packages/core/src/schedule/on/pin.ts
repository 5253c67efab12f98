import { walk } from '../dispatch/walk.ts'
import type { PinAsked } from '../events.ts'
import type { Policy } from '../policy.ts'
import type { Turn } from '../turn.ts'

/** A pin changes what may be evicted, so everybody who waits is looked at again. */
export const onPin = (turn: Turn, policy: Policy, { model, pinned }: PinAsked): void => {
  if (!turn.rules.models.has(model)) return
  turn.state.pins.set(model, pinned)
  walk(turn, policy)
}
