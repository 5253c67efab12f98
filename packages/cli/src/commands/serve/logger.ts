import pino from 'pino'
import type { ColorChoice } from '../../print/style.ts'
import { hasColor } from '../../print/style.ts'
import type { Io } from '../../io.ts'
import { createLogRing } from '@lswap/agent'
import type { Config, LogTimeFormat, Redact } from '@lswap/core'
import type { OwnLog } from '../../router/logs/own-log.ts'
import type { Log } from '../../router/log.ts'
import { batchedOutput } from './batched-output.ts'
import { createLogSink } from './log-sink.ts'
import { plainLine } from './plain-line.ts'
import { terminalOutput } from './terminal-output.ts'

export interface LoggerOptions {
  readonly io: Pick<Io, 'stderr' | 'env'>
  /** Undefined: pretty for a person at a terminal, JSON for programs. */
  readonly format: 'pretty' | 'json' | undefined
  readonly color: ColorChoice
  readonly config: LogSettings
  readonly redact: Redact
}

/** What a configuration says about the log. */
export type LogSettings = Pick<Config, 'logLevel' | 'logTimeFormat' | 'logTo'>

export interface Logger {
  readonly log: Log
  /** Takes over what another configuration says. */
  readonly configure: (config: LogSettings) => void
  /** What was logged lately. */
  readonly ownLog: OwnLog
  /** Resolves when everything is written, or when nobody reads it any more. */
  readonly end: () => Promise<void>
}

/** What is kept for who asks later. */
const RING_BYTES = 1024 * 1024
/** A line of ours that is longer holds something that nobody reads to its end, and must fit the ring. */
const MAX_LINE_CHARS = 64 * 1024

const INFO = pino.levels.values['info'] ?? 30

/** Valid JSON still, so that it is shown like the others. */
const cut = (line: string): string => `${JSON.stringify({ level: 40, msg: `${line.slice(0, MAX_LINE_CHARS / 2)}…` })}\n`

/** The log of `serve`, on stderr. A slow reader of it never slows the router. */
export const createLogger = async ({ io, format, color, config, redact }: LoggerOptions): Promise<Logger> => {
  const isTerminal = io.stderr.isTTY === true
  const sink = createLogSink({
    output: isTerminal ? terminalOutput(2) : batchedOutput(io.stderr),
    onLoss: (lines) => log.warn({ lines }, 'lines of this log were lost: nobody read it'),
  })
  const isPretty = format === 'pretty' || (format === undefined && isTerminal)
  let settings = config
  const timeFormat = (): LogTimeFormat => settings.logTimeFormat
  const shape = isPretty ? await prettyLine(hasColor(color, io.stderr, io.env), timeFormat) : asItIs
  const ring = createLogRing(RING_BYTES)
  const write = (line: string): void => {
    ring.pushText(line.length > MAX_LINE_CHARS ? cut(line) : line)
    // Kept for `lswap logs` all the same
    if (settings.logTo === 'proxy' || settings.logTo === 'both') sink.write(shape(line))
  }
  const timestamp = isoTime()
  const full = pino({ level: config.logLevel, base: null, timestamp }, { write: (line: string) => write(redact(line)) })
  const log: Log = {
    debug: (fields, message) => full.debug(fields, message),
    info: (fields, message) => {
      if (full.levelVal > INFO) return
      const line = plainLine({ level: INFO, time: timestamp(), fields, message })
      if (line === undefined) full.info(fields, message)
      // That of a request that went well has numbers and names only, and there are thousands a second
      else write('reason' in fields && fields.reason !== undefined ? redact(line) : line)
    },
    warn: (fields, message) => full.warn(fields, message),
    error: (fields, message) => full.error(fields, message),
  }
  return {
    log,
    ownLog: { ring, shape: () => prettyLine(false, timeFormat) },
    configure: (changed) => {
      settings = changed
      full.level = changed.logLevel
    },
    end: () => sink.end(),
  }
}

/** pino's own makes a date for each line. A second's lines share all but the milliseconds, and some share these too. */
const isoTime = (): (() => string) => {
  let second = -1
  let known = ''
  let moment = -1
  let text = ''
  return () => {
    const now = Date.now()
    if (now === moment) return text
    const wanted = Math.floor(now / 1000)
    if (wanted !== second) {
      second = wanted
      known = `,"time":"${new Date(wanted * 1000).toISOString().slice(0, 20)}`
    }
    moment = now
    text = `${known}${String(now % 1000).padStart(3, '0')}Z"`
    return text
  }
}

const asItIs = (line: string): string => line

const prettyLine = async (colorize: boolean, timeFormat: () => LogTimeFormat): Promise<(line: string) => string> => {
  // pino's worker transport does not survive bundling; the formatter alone does.
  const { prettyFormat } = await import('./pretty-format.ts')
  return prettyFormat(colorize, timeFormat)
}
