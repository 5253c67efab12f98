import { walk } from '../dispatch/walk.ts'
import { notConfigured, rejectAllOf } from '../act/reject.ts'
import { stopOutdated } from '../act/outdated.ts'
import { PREFIX_PICKER } from '../../pick/prefix/prefix-picker.ts'
import { renewPins } from '../rules/pins.ts'
import type { Policy } from '../policy.ts'
import { setSlots } from '../state/state.ts'
import { slotsOf, type Turn } from '../turn.ts'

/** A process that is not as the configuration says drains and stops; its waiters wait for the new one, or end with their model. */
export const onConfig = (turn: Turn, policy: Policy): void => {
  const { state, rules } = turn
  if (rules.picker.name !== PREFIX_PICKER) for (const target of state.placements.values()) target.prefixes = undefined
  renewPins(turn)
  state.dismissed.clear()
  for (const model of [...state.room.models()].toSorted()) {
    if (rules.models.has(model)) continue
    rejectAllOf(turn, model, notConfigured(model))
  }
  rankAnew(turn, policy)
  recountSlots(turn)
  stopOutdated(turn)
  walk(turn, policy)
}

/** Places under other settings can not be compared with the old ones: everybody gets a new one. */
const rankAnew = (turn: Turn, policy: Policy): void => {
  const { state } = turn
  for (const waiter of Array.from(state.room.waiters())) {
    const rank = policy.rankOf(turn, waiter.request, waiter.countsFrom)
    if (rank === waiter.rank) continue
    state.room.replace(waiter, { ...waiter, rank, waiting: true })
  }
  for (const [id, granted] of state.granted) {
    const { waiter } = granted
    const rank = policy.rankOf(turn, waiter.request, waiter.countsFrom)
    state.granted.set(id, { ...granted, waiter: { ...waiter, rank } })
  }
}

/** A process serves as many at once as the configuration says from now on; those beyond that go on to their end. */
const recountSlots = ({ state, rules }: Turn): void => {
  for (const target of state.placements.values()) {
    const policy = rules.models.get(target.placement.model)
    if (policy === undefined || target.process.phase !== 'ready') continue
    setSlots(target, slotsOf(policy, target.process.told))
  }
}
