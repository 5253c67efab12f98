import type { ModelId, Placement, RequestId } from '../ids.ts'
import { drainEnd } from '../schedule/rules/drain.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import { slotsOf } from '../schedule/turn.ts'
import {
  atMost,
  fixed,
  inSequence,
  less,
  minor,
  perhaps,
  times,
  UNKNOWN,
  untilLast,
  type Forecast,
} from './forecast.ts'
import { loadTime, serviceTime, stopTime } from './measured.ts'
import type { Reading, TakenSlots } from './reading.ts'

/** Who waits: for which model, why, and behind how many of that model that need a slot too. */
export interface Wait {
  readonly model: ModelId
  readonly cause: WaitCause
  readonly ahead: number
}

/** How long until the request is granted, if things go on as measured and nobody more urgent comes. */
export const waitForecast = (reading: Reading, wait: Wait): Forecast => forecast(reading, wait, new Set())

const forecast = (reading: Reading, wait: Wait, seen: ReadonlySet<RequestId>): Forecast => {
  if (wait.cause.type === 'slots-full' || wait.cause.type === 'saturated') return untilSlot(reading, wait)
  const ready = reading.ready.get(wait.cause) ?? untilReady(reading, wait, seen)
  reading.ready.set(wait.cause, ready)
  const before = rounds(reading, wait)
  return before === undefined ? ready : inSequence(ready, before)
}

/** From ready on: those ahead take the slots first, each for as long as serving takes. */
const rounds = ({ turn }: Reading, { model, ahead }: Wait): Forecast | undefined => {
  const policy = turn.rules.models.get(model)
  const slots = policy === undefined ? 1 : slotsOf(policy, undefined)
  const count = Math.floor(ahead / slots)
  return count === 0 ? undefined : times(serviceTime(turn.state.measures, model), count)
}

/** The slots become free one after the other, in the order in which they were taken. */
const untilSlot = (reading: Reading, { model, ahead }: Wait): Forecast => {
  const { now } = reading.turn
  const { since, service } = takenSlots(reading, model)
  if (since.length === 0) return UNKNOWN
  const next = less(service, now - (since[ahead % since.length] ?? now))
  return inSequence(next, times(service, Math.floor(ahead / since.length)))
}

/** Sorted once: thousands may wait for hundreds of slots. */
const takenSlots = (reading: Reading, model: ModelId): TakenSlots => {
  const known = reading.slots.get(model)
  if (known !== undefined) return known
  const { state, rules } = reading.turn
  const hosts = rules.models.get(model)?.hosts ?? []
  const since = hosts.flatMap((host) => reading.grantsAt({ model, host })).toSorted((a, b) => a - b)
  const taken = { since, service: serviceTime(state.measures, model) }
  reading.slots.set(model, taken)
  return taken
}

const untilReady = (reading: Reading, { model, cause }: Wait, seen: ReadonlySet<RequestId>): Forecast => {
  const { state, now } = reading.turn
  const load = (placement: Placement): Forecast => loadTime(state.measures, placement)
  switch (cause.type) {
    case 'loading':
      return restOfSwap(reading, cause.placement)
    case 'draining': {
      const clear = untilLast(cause.models.map((victim) => untilGone(reading, victim)))
      const host = cause.models[0]?.host
      return host === undefined ? UNKNOWN : inSequence(clear, load({ model, host }))
    }
    case 'swap-running': {
      const { placement } = cause
      if (placement.model === model) return restOfSwap(reading, placement)
      const served = perhaps(serviceTime(state.measures, placement.model))
      const stop = minor(stopTime(state.measures, placement))
      return inSequence(restOfSwap(reading, placement), served, stop, load({ model, host: placement.host }))
    }
    case 'stopping':
      return inSequence(untilGone(reading, cause.placement), load({ model, host: cause.placement.host }))
    case 'residency': {
      const gone = untilGone(reading, cause.placement)
      return inSequence(fixed(cause.until - now), gone, load({ model, host: cause.placement.host }))
    }
    case 'held-for':
      return afterHolder(reading, { model, holder: cause.request }, seen)
    case 'cooldown':
      return inSequence(fixed(cause.until - now), load(cause.placement))
    case 'slots-full':
    case 'saturated':
    case 'caller-cap':
    case 'stuck':
    case 'no-host':
      return UNKNOWN
    default:
      return cause satisfies never
  }
}

/** What a running swap still needs: its stops and its load, less what has passed. */
const restOfSwap = (reading: Reading, placement: Placement): Forecast => {
  const { state, now } = reading.turn
  const running = reading.loadAt(placement)
  const load = loadTime(state.measures, placement)
  if (running === undefined) return load
  const { host, evict } = running.swap
  const stops = untilLast(evict.map((model) => minor(stopTime(state.measures, { model, host }))))
  return less(inSequence(stops, load), now - running.startedAt)
}

/** Until what a placement serves has ended, or was cut, and its process is gone. */
const untilGone = (reading: Reading, placement: Placement): Forecast => {
  const { turn } = reading
  const { measures } = turn.state
  const service = serviceTime(measures, placement.model)
  const running = reading.grantsAt(placement).map((grantedAt) => less(service, turn.now - grantedAt))
  const target = reading.placementAt(placement)
  const cutAt = target === undefined ? undefined : drainEnd(turn, target)
  const drain = untilLast(running)
  const stop = minor(stopTime(measures, placement))
  return inSequence(cutAt === undefined ? drain : atMost(drain, cutAt - turn.now), stop)
}

/** Until the request that room is held for was served, then the way back to our model. */
const afterHolder = (
  reading: Reading,
  { model, holder }: { readonly model: ModelId; readonly holder: RequestId },
  seen: ReadonlySet<RequestId>,
): Forecast => {
  const { measures } = reading.turn.state
  const claim = reading.claimOf(holder)
  const cause = claim === undefined ? undefined : reading.causeOf(claim.model)
  // Claims are ordered, so that a circle could only come from a bug; reading ends all the same
  if (claim === undefined || cause === undefined || seen.has(holder)) return UNKNOWN
  const theirs = forecast(reading, { model: claim.model, cause, ahead: 0 }, new Set([...seen, holder]))
  if (claim.model === model) return theirs
  return inSequence(
    theirs,
    serviceTime(measures, claim.model),
    minor(stopTime(measures, claim)),
    loadTime(measures, { model, host: claim.host }),
  )
}
