import pino from 'pino'
import type { ColorChoice } from '../../print/style.ts'
import { hasColor } from '../../print/style.ts'
import type { Io } from '../../io.ts'
import type { Log } from '../../router/log.ts'

export interface LoggerOptions {
  readonly io: Pick<Io, 'stderr' | 'env'>
  /** Undefined: pretty for a person at a terminal, JSON for programs. */
  readonly format: 'pretty' | 'json' | undefined
  readonly color: ColorChoice
  readonly level: 'debug' | 'info' | 'warn' | 'error'
}

export interface Logger {
  readonly log: Log
  setLevel(level: LoggerOptions['level']): void
  /** Resolves when everything is written, or when nobody reads it any more. */
  end(): Promise<void>
}

const STDERR = 2
/** Lines that wait for a reader that does not read; beyond it they are dropped, so that a stuck terminal stops no stream. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
const END_LIMIT_MS = 500

/** The log of `serve`, on stderr. Written in the background: a slow reader of the log never slows the router. */
export const createLogger = async ({ io, format, color, level }: LoggerOptions): Promise<Logger> => {
  const output = pino.destination({ fd: STDERR, sync: false, maxLength: MAX_WAITING_BYTES })
  output.on('error', () => {})
  const isPretty = format === 'pretty' || (format === undefined && io.stderr.isTTY === true)
  const sink = isPretty ? await prettySink(output, hasColor(color, io.stderr, io.env)) : output
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, sink)
  return {
    log,
    setLevel: (next) => {
      log.level = next
    },
    end: () =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, END_LIMIT_MS)
        output.once('close', () => {
          clearTimeout(limit)
          resolve()
        })
        output.end()
      }),
  }
}

const prettySink = async (
  output: { write(text: string): boolean },
  colorize: boolean,
): Promise<{ write(line: string): void }> => {
  // Its worker transport does not survive bundling; the formatter alone does
  const { prettyFormat } = await import('./pretty-format.ts')
  const format = prettyFormat(colorize)
  return { write: (line) => void output.write(format(line)) }
}
