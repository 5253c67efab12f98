import type { ModelId } from '../ids.ts'
import type { MeasureKind } from '../schedule/state/measures.ts'

/** How long something will take: one case in ten is expected below `lowMs`, one in ten above `highMs`. */
export interface Estimate {
  readonly lowMs: number
  readonly medianMs: number
  readonly highMs: number
  /** Nobody knows how long it takes, only what ends it: `medianMs` and `highMs` say "at most". */
  readonly isLimit?: true
}

/** What would have to be measured once to say (more of) it. */
export interface Unmeasured {
  readonly measure: MeasureKind
  readonly model: ModelId
}

/** An estimate as far as measurements allow. Without one, `unmeasured` says why; empty: it depends on somebody, not on time. */
export interface Forecast {
  readonly estimate: Estimate | undefined
  readonly unmeasured: readonly Unmeasured[]
}

const exactly = (ms: number): Estimate => ({ lowMs: ms, medianMs: ms, highMs: ms })

/** A time that is known. */
export const fixed = (ms: number): Forecast => ({ estimate: exactly(Math.max(0, ms)), unmeasured: [] })

/** Nobody can say: somebody has to act first. */
export const UNKNOWN: Forecast = { estimate: undefined, unmeasured: [] }

const join = (parts: readonly Forecast[], combine: (a: Estimate, b: Estimate) => Estimate): Forecast => {
  let estimate: Estimate | undefined = exactly(0)
  const unmeasured: Unmeasured[] = []
  for (const part of parts) {
    estimate = estimate === undefined || part.estimate === undefined ? undefined : combine(estimate, part.estimate)
    for (const lacks of part.unmeasured) {
      if (!unmeasured.some(({ measure, model }) => measure === lacks.measure && model === lacks.model)) {
        unmeasured.push(lacks)
      }
    }
  }
  return { estimate, unmeasured }
}

const each = (a: Estimate, b: Estimate, of: (a: number, b: number) => number): Estimate => ({
  lowMs: of(a.lowMs, b.lowMs),
  medianMs: of(a.medianMs, b.medianMs),
  highMs: of(a.highMs, b.highMs),
  ...(a.isLimit === true || b.isLimit === true ? { isLimit: true } : {}),
})

/** One after the other; unknown as soon as one of them is. */
export const inSequence = (...parts: readonly Forecast[]): Forecast =>
  join(parts, (a, b) => each(a, b, (left, right) => left + right))

/** Side by side, until the last one is over. */
export const untilLast = (parts: readonly Forecast[]): Forecast => join(parts, (a, b) => each(a, b, Math.max))

const mapped = (forecast: Forecast, change: (estimate: Estimate) => Estimate): Forecast =>
  forecast.estimate === undefined ? forecast : { ...forecast, estimate: change(forecast.estimate) }

export const times = (forecast: Forecast, count: number): Forecast =>
  count === 0 ? fixed(0) : mapped(forecast, (estimate) => each(estimate, estimate, (ms) => ms * count))

/** What is left of it. Later than all that was measured, it may take as long again as it is late. */
export const less = (forecast: Forecast, elapsedMs: number): Forecast =>
  mapped(forecast, (estimate) => ({
    ...estimate,
    lowMs: Math.max(0, estimate.lowMs - elapsedMs),
    medianMs: Math.max(0, estimate.medianMs - elapsedMs),
    highMs: Math.abs(estimate.highMs - elapsedMs),
  }))

/** It ends by itself or is ended after `ms`. */
export const atMost = (forecast: Forecast, ms: number): Forecast => {
  // Never measured, the limit is still known
  const estimate: Estimate = forecast.estimate ?? { lowMs: 0, medianMs: ms, highMs: ms, isLimit: true }
  return { ...forecast, estimate: each(estimate, exactly(Math.max(0, ms)), Math.min) }
}

/** It may turn out not to be needed. */
export const perhaps = (forecast: Forecast): Forecast => mapped(forecast, (estimate) => ({ ...estimate, lowMs: 0 }))

/** A small part: unmeasured, it counts as nothing and is named all the same. */
export const minor = (forecast: Forecast): Forecast => ({ ...forecast, estimate: forecast.estimate ?? exactly(0) })
