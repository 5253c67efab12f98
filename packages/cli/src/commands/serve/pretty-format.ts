import { prettyFactory } from 'pino-pretty'

/**
 * Turns a line of the log into what a person reads. A file of its own, so that it can be loaded on demand: of a CommonJS
 * package that is itself imported dynamically the bundler keeps the default export alone.
 */
export const prettyFormat = (colorize: boolean): ((line: string) => string) =>
  prettyFactory({ colorize, translateTime: 'SYS:HH:MM:ss', singleLine: true })
