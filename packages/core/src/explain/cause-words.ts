import type { Placement } from '../ids.ts'
import { drainEnd } from '../schedule/rules/drain.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import { causeLabel } from './cause-label.ts'
import { loadTime } from './measured.ts'
import type { CauseWords, Reading } from './reading.ts'
import { requestsText, secondsText } from './text.ts'

/** Why somebody waits right now, in short and with the numbers that tell how bad it is. */
export const causeWords = (reading: Reading, cause: WaitCause): CauseWords => {
  const known = reading.words.get(cause)
  if (known !== undefined) return known
  const label = causeLabel(cause)
  const words = { label, sentence: sentenceOf(reading, cause, label) }
  reading.words.set(cause, words)
  return words
}

const sentenceOf = (reading: Reading, cause: WaitCause, label: string): string => {
  const { state, now } = reading.turn
  switch (cause.type) {
    case 'loading':
      return `${label} since ${secondsText(now - cause.sinceMs)}, ${usually(reading, cause.placement)}`
    case 'draining':
      return `${label}: ${stillServing(reading, cause.models)}`
    case 'stopping':
      return `${label}: ${stillServing(reading, [cause.placement])}`
    case 'swap-running': {
      const running = reading.loadAt(cause.placement)
      const since = running === undefined ? '' : ` since ${secondsText(now - running.startedAt)}`
      return `${label}${since}, ${usually(reading, cause.placement)}`
    }
    case 'residency':
      return `${label}: it stays ${secondsText(cause.until - now)} more`
    case 'held-for': {
      const holder = state.room.get(cause.request)?.request
      return holder === undefined ? label : `${label} (priority ${holder.priority})`
    }
    case 'stuck':
      return `${label}: ${cause.failure.message}`
    case 'cooldown':
      return `${label}: ${secondsText(cause.until - now)} more`
    case 'slots-full':
    case 'saturated':
    case 'caller-cap':
    case 'no-host':
      return label
    default:
      return cause satisfies never
  }
}

const usually = ({ turn }: Reading, placement: Placement): string => {
  const { estimate } = loadTime(turn.state.measures, placement)
  return estimate === undefined ? 'never measured before' : `usually ${secondsText(estimate.medianMs)}`
}

const stillServing = (reading: Reading, placements: readonly Placement[]): string => {
  let serving = 0
  let cutAt: number | undefined
  for (const placement of placements) {
    const target = reading.placementAt(placement)
    if (target === undefined) continue
    serving += target.inFlight + target.holding
    const end = drainEnd(reading.turn, target)
    if (end !== undefined) cutAt = Math.max(cutAt ?? end, end)
  }
  const limit = cutAt === undefined ? '' : `, cut in ${secondsText(cutAt - reading.turn.now)} at the latest`
  return `${requestsText(serving)}${limit}`
}
