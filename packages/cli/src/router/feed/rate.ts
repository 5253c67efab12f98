import type { Clock } from '../clock.ts'

/** How often something happened lately. */
export interface Rate {
  /** By default one. */
  count(amount?: number): void
  /** Per second, over the window. */
  perSecond(): number
}

/** Counts in seconds, so that neither memory nor the time of a count depends on how often it is counted. */
export const createRate = (clock: Pick<Clock, 'now'>, windowSeconds: number): Rate => {
  const counts = new Float64Array(windowSeconds)
  const seconds = new Float64Array(windowSeconds).fill(-1)
  const secondNow = (): number => Math.floor(clock.now() / 1000)
  return {
    count: (amount = 1) => {
      const second = secondNow()
      const place = second % windowSeconds
      if (seconds[place] !== second) counts[place] = 0
      seconds[place] = second
      counts[place] = (counts[place] ?? 0) + amount
    },
    perSecond: () => {
      const second = secondNow()
      const sum = counts.reduce(
        (total, count, place) => ((seconds[place] ?? -1) > second - windowSeconds ? total + count : total),
        0,
      )
      return sum / windowSeconds
    },
  }
}
