import { overheard } from '@lswap/agent'
import type { Redact } from '@lswap/core'
import type { NoticeState } from '@lswap/core/protocol'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

/** The latest warnings and errors of the log, for who looks on. */
export interface Notices {
  /** The same log, of which warnings and errors are kept. */
  readonly log: Log
  /** The latest first. */
  latest(): NoticeState[]
  /** Calls the one listener after each. */
  listen(onNotice: () => void): void
}

const KEPT = 50
/** Longer ones end in the log alone. */
const MAX_CHARS = 500

export const createNotices = (log: Log, clock: Pick<Clock, 'now'>, redact: Redact): Notices => {
  let listener: (() => void) | undefined
  const kept: NoticeState[] = []
  let number = 0

  const keep = (level: 'warn' | 'error', fields: object, message: string): void => {
    number += 1
    const { text, model, host } = noticeOf(fields, message)
    kept.unshift({ number, at: Math.round(clock.now()), level, text: redact(text).slice(0, MAX_CHARS), model, host })
    if (kept.length > KEPT) kept.pop()
    listener?.()
  }

  return {
    log: overheard(log, keep),
    latest: () => [...kept],
    listen: (onNotice) => {
      listener = onNotice
    },
  }
}

/** Fields as the router's own lines have them. */
const noticeOf = (fields: object, message: string): Pick<NoticeState, 'text' | 'model' | 'host'> => {
  const { model, host, placement, reason, failure, err } = fields as Readonly<Record<string, unknown>>
  const place = isRecord(placement) ? placement : {}
  const why = textOf(reason) ?? messageIn(failure) ?? messageIn(err)
  return {
    text: why === undefined ? message : `${message}: ${why}`,
    model: textOf(model) ?? textOf(place['model']) ?? null,
    host: textOf(host) ?? textOf(place['host']) ?? null,
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const messageIn = (value: unknown): string | undefined => (isRecord(value) ? textOf(value['message']) : undefined)
