import type { LogTimeFormat } from '@lswap/core'

/** How Go's `time` package lays these out: an example of the second of January 2006, 15:04:05, west of Greenwich. */
const LAYOUTS: Readonly<Record<LogTimeFormat, string>> = {
  '': '15:04:05',
  ansic: 'Mon Jan _2 15:04:05 2006',
  unixdate: 'Mon Jan _2 15:04:05 MST 2006',
  rubydate: 'Mon Jan 02 15:04:05 -0700 2006',
  rfc822: '02 Jan 06 15:04 MST',
  rfc822z: '02 Jan 06 15:04 -0700',
  rfc850: 'Monday, 02-Jan-06 15:04:05 MST',
  rfc1123: 'Mon, 02 Jan 2006 15:04:05 MST',
  rfc1123z: 'Mon, 02 Jan 2006 15:04:05 -0700',
  rfc3339: '2006-01-02T15:04:05Z07:00',
  rfc3339nano: '2006-01-02T15:04:05.999999999Z07:00',
  kitchen: '3:04PM',
  stamp: 'Jan _2 15:04:05',
  stampmilli: 'Jan _2 15:04:05.000',
  stampmicro: 'Jan _2 15:04:05.000000',
  stampnano: 'Jan _2 15:04:05.000000000',
}

const PIECE = /Monday|Mon|Jan|2006|15|_2|0[1-6]|3|PM|MST|-0700|Z07:00|\.0+|\.9+/g

/** The time of this machine's zone, as llama-swap writes it under that name. */
export const formatTime = (date: Date, format: LogTimeFormat): string =>
  LAYOUTS[format].replaceAll(PIECE, (piece) => write(piece, date))

const write = (piece: string, date: Date): string => {
  const make = PIECES[piece]
  if (make !== undefined) return make(date)
  const digits = three(date.getMilliseconds()).padEnd(piece.length - 1, '0')
  if (piece.startsWith('.0')) return `.${digits.slice(0, piece.length - 1)}`
  // Go leaves away the zeros at the end, and the point before nothing
  const rest = digits.replace(/0+$/, '')
  return rest === '' ? '' : `.${rest}`
}

const PIECES: Readonly<Record<string, (date: Date) => string>> = {
  Monday: (date) => DAYS[date.getDay()] ?? '',
  Mon: (date) => (DAYS[date.getDay()] ?? '').slice(0, 3),
  Jan: (date) => MONTHS[date.getMonth()] ?? '',
  '2006': (date) => String(date.getFullYear()),
  '06': (date) => two(date.getFullYear() % 100),
  '01': (date) => two(date.getMonth() + 1),
  '02': (date) => two(date.getDate()),
  _2: (date) => String(date.getDate()).padStart(2),
  '15': (date) => two(date.getHours()),
  '3': (date) => String(date.getHours() % 12 || 12),
  '04': (date) => two(date.getMinutes()),
  '05': (date) => two(date.getSeconds()),
  PM: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  MST: (date) => ZONE.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? '',
  '-0700': (date) => offset(date, ''),
  'Z07:00': (date) => (date.getTimezoneOffset() === 0 ? 'Z' : offset(date, ':')),
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const ZONE = new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' })

const two = (number: number): string => String(number).padStart(2, '0')
const three = (number: number): string => String(number).padStart(3, '0')

const offset = (date: Date, between: string): string => {
  const minutes = -date.getTimezoneOffset()
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}${between}${two(size % 60)}`
}
