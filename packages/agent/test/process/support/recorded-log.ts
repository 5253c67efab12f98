import type { Logger } from '../../../src/logs/logger.ts'

export interface RecordedLog extends Logger {
  readonly messages: string[]
}

/** Keeps what is logged. */
export const recordedLog = (): RecordedLog => {
  const messages: string[] = []
  const record =
    (level: string) =>
    (_fields: object, message: string): void => {
      messages.push(`${level} ${message}`)
    }
  return { messages, debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}
