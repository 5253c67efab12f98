import { ERRORS, openAiType, type Failure } from '@lswap/core'

/** OpenAI's error object; `src` tells that lswap refused and not the engine. */
export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: null
    readonly code: string
  }
  readonly src: 'lswap'
}

export const errorBody = (failure: Failure): ErrorBody => ({
  error: {
    message: messageOf(failure),
    type: openAiType(ERRORS[failure.code].status),
    param: null,
    code: failure.code,
  },
  src: 'lswap',
})

/** Clients show the message and nothing else, so the hint is in it. */
export const messageOf = ({ message, hint }: Failure): string => {
  if (hint === undefined) return message
  return /[.!?]$/.test(message) ? `${message} ${hint}` : `${message}: ${hint}`
}

/** Where nothing was measured yet. */
const DEFAULT_RETRY_MS = 5_000

/** What a client library is told about trying again. */
export const retryHeaders = ({ code, retryAfterMs }: Failure): Readonly<Record<string, string>> => {
  const { retry } = ERRORS[code]
  if (retry === 'no') return { 'x-should-retry': 'false' }
  // A broken model is left alone for a while, which is known to the moment
  if (retry === 'silent' && retryAfterMs === undefined) return {}
  return { 'Retry-After': String(Math.max(1, Math.ceil((retryAfterMs ?? DEFAULT_RETRY_MS) / 1000))) }
}
