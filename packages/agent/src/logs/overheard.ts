import type { Logger } from './logger.ts'

/** Told of what is wrong, right after it was logged. */
export type OnTrouble = (level: 'warn' | 'error', fields: object, message: string) => void

/** The same log, of which somebody hears the warnings and errors. */
export const overheard = (log: Logger, onTrouble: OnTrouble): Logger => ({
  debug: (fields, message) => log.debug(fields, message),
  info: (fields, message) => log.info(fields, message),
  warn: (fields, message) => {
    log.warn(fields, message)
    onTrouble('warn', fields, message)
  },
  error: (fields, message) => {
    log.error(fields, message)
    onTrouble('error', fields, message)
  },
})
