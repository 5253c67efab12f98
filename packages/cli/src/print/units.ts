const KIB = 1024
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.4 GiB`: three digits at most, as people compare them. */
export const bytes = (count: number): string => {
  let value = count
  let unit = 0
  // From 999.5 on three digits would not hold it
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= KIB
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`
}

/** `0.4 s`, `12 s`, `3m 20s`, `5h 2m`, `3d 4h`: two figures at most. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return pair(whole, 60, 'm', 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 24 * 60) return pair(minutes, 60, 'h', 'm')
  return pair(Math.round(minutes / 60), 24, 'd', 'h')
}

/** {@link duration} for what may be short and is looked at closely: `23 ms` instead of `0.0 s`. */
export const fineDuration = (ms: number): string => (ms < 99.5 ? `${Math.max(0, Math.round(ms))} ms` : duration(ms))

const pair = (value: number, per: number, large: string, small: string): string =>
  `${Math.floor(value / per)}${large} ${value % per}${small}`

/** `13:39:22`: the time of day where it is looked at. */
export const clockText = (at: number): string => {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}
