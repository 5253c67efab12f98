interface Alarm {
  readonly at: number
  readonly number: number
  readonly ring: () => void
}

/** Virtual time with alarms, in order of time and then of setting. */
export const makeClock = () => {
  const alarms: Alarm[] = []
  let number = 0
  const isEarlier = (a: Alarm, b: Alarm): boolean => (a.at === b.at ? a.number < b.number : a.at < b.at)
  const clock = {
    now: 0,
    after(ms: number, ring: () => void): void {
      number += 1
      const alarm = { at: clock.now + ms, number, ring }
      const place = alarms.findLastIndex((other) => isEarlier(other, alarm))
      alarms.splice(place + 1, 0, alarm)
    },
    /** When the next alarm rings. */
    next: (): number | undefined => alarms[0]?.at,
    ringNext(): void {
      const alarm = alarms.shift()
      if (alarm === undefined) return
      clock.now = Math.max(clock.now, alarm.at)
      alarm.ring()
    },
  }
  return clock
}

export type VirtualClock = ReturnType<typeof makeClock>
