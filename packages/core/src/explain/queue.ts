import type { CallerId, ModelId, RequestId } from '../ids.ts'
import { claimOnUse } from '../schedule/dispatch/claims.ts'
import type { Policy } from '../schedule/policy.ts'
import { bandOf, type Band, type Criticality } from '../schedule/request.ts'
import { causeOfWaiter } from '../schedule/read/cause.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import type { Waiter } from '../schedule/state/waiter.ts'
import { causeWords } from './cause-words.ts'
import { UNKNOWN, type Estimate, type Unmeasured } from './forecast.ts'
import { firstInLine, standingOf, type Standing } from './line.ts'
import type { CauseWords, Reading } from './reading.ts'
import { waitForecast } from './wait-forecast.ts'

/** A request that waits, as a person wants to see it. */
export interface QueueEntry {
  readonly request: RequestId
  readonly model: ModelId
  /** Place in the order of dispatch, 1 first. */
  readonly position: number
  readonly priority: number
  readonly band: Band
  readonly criticality: Criticality
  readonly caller: CallerId
  /** On the clock of the events. */
  readonly receivedAt: number
  readonly waitedMs: number
  /** Grants that it had already. */
  readonly attempts: number
  /** Why it waits; undefined only until it was looked at for the first time. */
  readonly cause: WaitCause | undefined
  /** The cause in words. */
  readonly sentence: string
  /** The same without what changes while it lasts. */
  readonly label: string
  /** Until its grant; undefined: see `unmeasured`, or somebody has to act first. */
  readonly estimate: Estimate | undefined
  /** What the estimate lacks because it never happened yet. */
  readonly unmeasured: readonly Unmeasured[]
}

/**
 * The first `limit` of the waiting requests in the order of dispatch. Each that waits is looked at, and each of the first is
 * explained: the loop does nothing else meanwhile, so nobody asks for more than somebody reads.
 */
export const queueOf = (reading: Reading, policy: Policy, limit = Infinity): QueueEntry[] =>
  firstInLine(reading.turn, policy, limit).map((standing) => entryOf({ reading, policy }, standing))

/** The same of one request; undefined when it does not wait. */
export const entryOfRequest = (reading: Reading, policy: Policy, request: RequestId): QueueEntry | undefined => {
  const waiter = reading.turn.state.room.get(request)
  if (waiter === undefined) return undefined
  return entryOf({ reading, policy }, standingOf(reading.turn, policy, waiter))
}

interface Look {
  readonly reading: Reading
  readonly policy: Policy
}

/** Full slots are not all: once one is free it may be kept for somebody who comes first. */
const holderBehind = ({ reading, policy }: Look, waiter: Waiter, cause: WaitCause): WaitCause | undefined => {
  const target = cause.type === 'slots-full' ? reading.placementAt(cause.placement) : undefined
  if (target === undefined) return undefined
  const contender = { waiter, strength: policy.strengthOf(reading.turn, waiter) }
  const claim = claimOnUse(reading.turn, contender, target)
  return claim === undefined ? undefined : reading.heldFor(waiter.request.model, claim.request)
}

const wordsOf = (reading: Reading, cause: WaitCause | undefined, then: WaitCause | undefined): CauseWords => {
  if (cause === undefined) return { sentence: '', label: '' }
  const first = causeWords(reading, cause)
  if (then === undefined) return first
  const second = causeWords(reading, then)
  return { sentence: `${first.sentence}, then ${second.sentence}`, label: `${first.label}, then ${second.label}` }
}

const entryOf = (look: Look, { waiter, position, ahead }: Standing): QueueEntry => {
  const { reading } = look
  const { request, receivedAt, attempts } = waiter
  const { id, model, priority, criticality, caller } = request
  const cause = causeOfWaiter(reading.turn.state, waiter)
  const then = cause === undefined ? undefined : holderBehind(look, waiter, cause)
  const words = wordsOf(reading, cause, then)
  const { estimate, unmeasured } =
    cause === undefined ? UNKNOWN : waitForecast(reading, { model, cause: then ?? cause, ahead })
  return {
    request: id,
    model,
    position,
    priority,
    band: bandOf(priority),
    criticality,
    caller,
    receivedAt,
    waitedMs: Math.max(0, reading.turn.now - receivedAt),
    attempts,
    cause,
    sentence: words.sentence,
    label: words.label,
    estimate,
    unmeasured,
  }
}
