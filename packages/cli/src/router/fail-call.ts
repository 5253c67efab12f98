import type { Failure } from '@lswap/core'
import { ownHeaders } from './answer/own-headers.ts'
import { sendFailure } from './answer/send.ts'
import type { Call } from './call.ts'

/** Ends a call with an error, before anything was sent. */
export const failCall = (call: Call, failure: Failure): void => {
  call.facts.failure = failure
  if (failure.code === 'unauthorized') call.res.setHeader('WWW-Authenticate', challengeOf(call))
  sendFailure(call, failure, ownHeaders(call))
}

/**
 * A browser that shows an engine's pages, or the list of them, asks its user only when it hears of Basic; programs must not
 * ask anybody.
 */
const challengeOf = ({ path, req }: Call): string =>
  /^\/upstream(?:\/|$)/.test(path) || (path === '/' && /\btext\/html\b/.test(req.headers.accept ?? ''))
    ? 'Basic realm="lswap", charset="UTF-8"'
    : 'Bearer realm="lswap"'
