import { walk } from '../dispatch/walk.ts'
import { reject } from '../act/reject.ts'
import { restoreDue } from '../act/restore.ts'
import { stop } from '../act/stop.ts'
import type { Policy } from '../policy.ts'
import { idleAt } from '../rules/idle.ts'
import { retryAfterMs } from '../rules/estimate.ts'
import type { PlacementState } from '../state/placement.ts'
import type { Turn } from '../turn.ts'

/** Rules that depend on time alone. */
export const onTick = (turn: Turn, policy: Policy): void => {
  rejectTimedOut(turn)
  walk(turn, policy)
  // Last, as the walk may serve the only one who kept a replica from being idle.
  stopIdle(turn)
  restoreDue(turn)
}

const rejectTimedOut = (turn: Turn): void => {
  const { queueTimeoutMs } = turn.rules.options.limits
  for (;;) {
    const oldest = turn.state.room.oldest()
    if (oldest === undefined || turn.now < oldest.receivedAt + queueTimeoutMs) return
    const policy = turn.rules.models.get(oldest.request.model)
    reject(turn, oldest, {
      code: 'wait_exceeded',
      message: `the request waited ${Math.round((turn.now - oldest.receivedAt) / 1000)} s for ${oldest.request.model}, the limit is queueTimeoutMs`,
      ...(policy === undefined ? {} : { retryAfterMs: retryAfterMs(turn, policy) }),
    })
  }
}

const stopIdle = (turn: Turn): void => {
  const targets: PlacementState[] = []
  for (const target of turn.state.placements.values()) {
    const due = idleAt(turn, target)
    if (due !== undefined && due <= turn.now) targets.push(target)
  }
  stop(turn, { targets, drainMs: 0, reason: 'idle' })
}
