import type { Answer } from '../answer/answer.ts'
import { ownHeaders } from '../answer/own-headers.ts'
import type { Call } from '../call.ts'
import type { Clock } from '../clock.ts'
import type { Dialect } from './dialect.ts'
import type { Lookout } from './lookout.ts'
import { awaitedLoad, secondsText, waitText, type Told } from './text.ts'
import type { EarlyWish } from './wish.ts'

/** A stream's life before the engine's first byte. */
export interface EarlyStream {
  /** It waits for a grant. */
  waits(): void
  /** The engine has it now. */
  granted(): void
  /** Nothing of ours follows. Idempotent. */
  stop(): void
}

export interface EarlyOptions {
  readonly wish: EarlyWish
  readonly call: Call
  readonly answer: Pick<Answer, 'begin' | 'note'>
  readonly dialect: Dialect
  readonly lookout: Lookout
  readonly clock: Clock
}

/** What is refused or served sooner keeps its own head: nothing is gained by an early one. */
const OPEN_AFTER_MS = 100
/** How often it is looked whether there is news. */
const LOOK_MS = 1_000
/** Proxies in front commonly cut after 60 s of silence, some after 15. */
const BEAT_MS = 10_000

export const createEarlyStream = ({ wish, call, answer, dialect, lookout, clock }: EarlyOptions): EarlyStream => {
  let isOpen = false
  let hasWaited = false
  let lastKey: string | undefined
  let lastAt = call.startedAt
  let cancel: (() => void) | undefined

  const after = (ms: number, step: () => void): void => {
    cancel?.()
    cancel = clock.setTimer(clock.now() + ms, step)
  }

  const look = (): Told & { readonly position: number | undefined } => {
    const entry = lookout.entryOf(call.id)
    const load = entry === undefined ? undefined : awaitedLoad(entry)
    const progress = load === undefined ? undefined : lookout.progressOf(load)
    const { isRestricted } = call.rights
    return { ...waitText({ entry, progress, isRestricted }), position: entry?.position }
  }

  /** False: the answer is no stream that a line of ours could go into. */
  const write = (text: string): boolean => {
    lastAt = clock.now()
    return answer.note(text)
  }

  const open = (position: number | undefined): void => {
    if (isOpen) return
    isOpen = true
    answer.begin({ ...ownHeaders(call), ...(position === undefined ? {} : { 'X-Lswap-Queue': String(position) }) })
  }

  const tellWait = (): void => {
    const { text, key, position } = look()
    open(position)
    const isDue = clock.now() - lastAt >= BEAT_MS
    const isNews = key !== lastKey
    lastKey = key
    if (wish.tells && (isNews || isDue)) write(dialect.told(`${capitalised(text)}.\n`, position))
    else if (!wish.tells && (isNews || isDue)) write(dialect.comment(`lswap: ${text}`))
    after(wish.tells ? LOOK_MS : BEAT_MS, tellWait)
  }

  /** The engine works on it and says nothing yet. */
  const beat = (): void => {
    open(undefined)
    if (write(dialect.comment('lswap: the engine is at it'))) after(BEAT_MS, beat)
  }

  return {
    waits: () => {
      hasWaited = true
      lastKey = undefined
      after(isOpen ? 0 : OPEN_AFTER_MS, tellWait)
    },
    granted: () => {
      if (isOpen && hasWaited && wish.tells) {
        write(dialect.told(`Ready after ${secondsText(clock.now() - call.startedAt)}.\n`, undefined))
      }
      hasWaited = false
      cancel?.()
      if (wish.beats) after(BEAT_MS, beat)
    },
    stop: () => {
      cancel?.()
      cancel = undefined
    },
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
