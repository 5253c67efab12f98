import type { Failure } from '@lswap/core'
import type { IncomingMessage } from 'node:http'
import type { ForwardTimers } from '../forward/timers.ts'
import type { Logger } from '../logs/logger.ts'

/** Says who was not let in, without what they sent: a router with a wrong token asks several times a second, for ever. */
export interface Refusals {
  note(req: Pick<IncomingMessage, 'socket'>, failure: Failure): void
}

/** One line a minute for each address and reason, with how many there were since the last. */
const QUIET_MS = 60_000
/** Addresses that are told apart. */
const MOST = 64

export const createRefusals = (options: {
  readonly log: Logger
  readonly timers: Pick<ForwardTimers, 'now'>
}): Refusals => {
  const { log, timers } = options
  const told = new Map<string, { readonly at: number; more: number }>()
  return {
    note: ({ socket }, { code, message }) => {
      const from = socket.remoteAddress ?? 'unknown'
      const key = `${from} ${message}`
      const last = told.get(key)
      const now = timers.now()
      if (last !== undefined && now - last.at < QUIET_MS) {
        last.more += 1
        return
      }
      told.delete(key)
      told.set(key, { at: now, more: 0 })
      const [oldest] = told.keys()
      if (told.size > MOST && oldest !== undefined) told.delete(oldest)
      const more = last?.more ?? 0
      log.warn({ from, code, reason: message, ...(more === 0 ? {} : { more }) }, 'a request was not let in')
    },
  }
}
