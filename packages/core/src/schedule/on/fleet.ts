import type { FleetChanged, FleetObservation } from '../events.ts'
import type { Policy } from '../policy.ts'
import { forgiveIfSteady, startCooldown } from '../rules/cooldown.ts'
import { placementOf, residentsOn, setProcess } from '../state/state.ts'
import { slotsOf, type Turn } from '../turn.ts'

/** A host or a process changed on its own. Reports about an older start of a process are stale and ignored. */
export const onFleetChange = (turn: Turn, policy: Policy, { observation }: FleetChanged): void => {
  switch (observation.type) {
    case 'host-appeared':
      appeared(turn, observation)
      break
    case 'host-vanished':
      vanished(turn, observation)
      break
    case 'process-exited':
      if (!exited(turn, observation)) return
      break
    default:
      return observation satisfies never
  }
  policy.walk(turn)
}

type Of<Type extends FleetObservation['type']> = Extract<FleetObservation, { type: Type }>

const appeared = ({ state, rules }: Turn, { host, ready }: Of<'host-appeared'>): void => {
  state.hosts.set(host, true)
  for (const { model, epoch, slots } of ready) {
    const policy = rules.models.get(model)
    const target = placementOf(state, { model, host })
    if (policy === undefined || target.process.phase === 'loading') continue
    if (target.process.phase === 'ready' && target.process.epoch === epoch) continue
    setProcess(state, target, { phase: 'ready', epoch, slots: slotsOf(policy, slots) })
  }
}

/** Swaps and stops that run there are still answered, each once, by the loop. */
const vanished = (turn: Turn, { host, failure }: Of<'host-vanished'>): void => {
  turn.state.hosts.set(host, false)
  for (const target of residentsOn(turn.state, host)) {
    if (target.process.phase === 'loading') continue
    setProcess(turn.state, target, { phase: 'stopped' })
    target.lastFailure = failure
  }
}

const exited = (turn: Turn, { placement, epoch, failure }: Of<'process-exited'>): boolean => {
  const target = placementOf(turn.state, placement)
  if (target.process.phase !== 'ready' || target.process.epoch !== epoch) return false
  const policy = turn.rules.models.get(placement.model)
  if (policy !== undefined && !forgiveIfSteady(turn, policy, target)) startCooldown(turn, policy, { target, failure })
  setProcess(turn.state, target, { phase: 'stopped' })
  target.lastFailure = failure
  return true
}
