import type { Redact } from '@lswap/core'
import type { Logger } from '../logs/logger.ts'
import { overheard } from '../logs/overheard.ts'

/** A warning or an error of the agent's log, for its routers. */
export interface Notice {
  readonly level: 'warn' | 'error'
  readonly text: string
  readonly model: string | null
}

/** The same log, of which warnings and errors are told on. */
export interface NoticedLog {
  readonly log: Logger
  listen(listener: (notice: Notice) => void): () => void
}

/** Longer ones end in the log alone. */
const MAX_CHARS = 500
/** The same again within this is not news, and would push out what happened. */
const AGAIN_MS = 60_000
const REMEMBERED = 100

export const noticedLog = (log: Logger, redact: Redact, now: () => number = Date.now): NoticedLog => {
  const listeners = new Set<(notice: Notice) => void>()
  const told = new Map<string, number>()

  const tell = (level: Notice['level'], fields: object, message: string): void => {
    const { text, model } = noticeOf(fields, message)
    const notice = { level, text: redact(text).slice(0, MAX_CHARS), model }
    const key = `${notice.model ?? ''}\n${notice.text}`
    const before = told.get(key)
    if (before !== undefined && now() - before < AGAIN_MS) return
    told.delete(key)
    told.set(key, now())
    for (const oldest of told.keys()) {
      if (told.size <= REMEMBERED) break
      told.delete(oldest)
    }
    for (const listener of listeners) listener(notice)
  }

  return {
    log: overheard(log, tell),
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const noticeOf = (fields: object, message: string): Omit<Notice, 'level'> => {
  const { model, reason, err } = fields as Readonly<Record<string, unknown>>
  const why = textOf(reason) ?? (err instanceof Error ? err.message : undefined)
  const isTold = why === undefined || message.includes(why)
  return { text: isTold ? message : `${message}: ${why}`, model: textOf(model) ?? null }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
