import type { CallerId, ModelId, RequestId } from '../ids.ts'
import { claimOnUse } from '../schedule/dispatch/claims.ts'
import { comesBefore, placeInLine } from '../schedule/dispatch/place.ts'
import type { Policy } from '../schedule/policy.ts'
import { bandOf, type Band, type Criticality } from '../schedule/request.ts'
import { causeOfWaiter } from '../schedule/read/cause.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import type { Waiter } from '../schedule/state/waiter.ts'
import { causeLabel } from './cause-label.ts'
import { causeSentence } from './cause-sentence.ts'
import { UNKNOWN, type Estimate, type Unmeasured } from './forecast.ts'
import type { Reading } from './reading.ts'
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

export interface QueueQuestion {
  /** At most so many, the first in line. */
  readonly limit?: number
  /** Only this one. */
  readonly only?: RequestId
}

/** The waiting requests in the order of dispatch. Reads all of them, O(n log n): for people, not for decisions. */
export const queueOf = (reading: Reading, policy: Policy, { limit = Infinity, only }: QueueQuestion): QueueEntry[] => {
  const { turn } = reading
  const line = [...turn.state.room.waiters()]
    .map((waiter) => ({ waiter, place: placeInLine(turn, policy, waiter) }))
    .toSorted((a, b) => (comesBefore(a.place, b.place) ? -1 : 1))
  const ahead = new Map<ModelId, number>()
  const entries: QueueEntry[] = []
  for (const [at, { waiter }] of line.entries()) {
    if (entries.length >= limit) break
    const { id, model, takesSlot } = waiter.request
    const before = ahead.get(model) ?? 0
    if (takesSlot) ahead.set(model, before + 1)
    if (only !== undefined && id !== only) continue
    entries.push(entryOf({ reading, policy }, waiter, { position: at + 1, ahead: takesSlot ? before : 0 }))
  }
  return entries
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
  return claim === undefined ? undefined : { type: 'held-for', request: claim.request }
}

const entryOf = (
  look: Look,
  waiter: Waiter,
  { position, ahead }: { readonly position: number; readonly ahead: number },
): QueueEntry => {
  const { reading } = look
  const { request, receivedAt, attempts } = waiter
  const { id, model, priority, criticality, caller } = request
  const cause = causeOfWaiter(reading.turn.state, waiter)
  const then = cause === undefined ? undefined : holderBehind(look, waiter, cause)
  const causes = [cause, then].filter((why) => why !== undefined)
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
    sentence: causes.map((why) => causeSentence(reading, why)).join(', then '),
    label: causes.map(causeLabel).join(', then '),
    estimate,
    unmeasured,
  }
}
