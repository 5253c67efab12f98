import type { HostId } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'

/** Names the host in each line. */
export const hostLog = (log: Logger, host: HostId): Logger => ({
  debug: (fields, message) => log.debug({ host, ...fields }, message),
  info: (fields, message) => log.info({ host, ...fields }, message),
  warn: (fields, message) => log.warn({ host, ...fields }, message),
  error: (fields, message) => log.error({ host, ...fields }, message),
})
