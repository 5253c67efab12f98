/** What the agent writes notices to; a pino logger fits. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const ignore = (): void => {}

/** Says nothing, for callers that do not care. */
export const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore }
