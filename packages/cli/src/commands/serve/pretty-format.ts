import type { LogTimeFormat } from '@lswap/core'
import { prettyFactory } from 'pino-pretty'
import { formatTime } from './time-format.ts'

/**
 * Turns a line of the log into what a person reads. A file of its own, so that it can be loaded on demand: of a CommonJS
 * package that is itself imported dynamically the bundler keeps the default export alone.
 */
export const prettyFormat = (colorize: boolean, timeFormat: () => LogTimeFormat): ((line: string) => string) =>
  prettyFactory({
    colorize,
    translateTime: false,
    singleLine: true,
    customPrettifiers: { time: (written) => `[${tell(written, timeFormat())}]` },
  })

const tell = (written: string | object, format: LogTimeFormat): string => {
  if (typeof written !== 'string') return ''
  const date = new Date(written)
  return Number.isNaN(date.getTime()) ? written : formatTime(date, format)
}
