import { ERRORS, type Failure } from '@lswap/core'
import { errorBody, messageOf } from './error-body.ts'

/** Anthropic's error object; `code` and `src` are ours, and their clients pass over them. */
export interface AnthropicErrorBody {
  readonly type: 'error'
  readonly error: { readonly type: string; readonly message: string; readonly code: string }
  readonly src: 'lswap'
}

const ANTHROPIC = /^(?:\/upstream\/.+)?\/v(?:1|\/v1)?\/messages(?:\/|$)/

/** An error as JSON, in the shape that clients of the path read. */
export const errorText = (path: string, failure: Failure): string =>
  JSON.stringify(ANTHROPIC.test(path) ? anthropicBody(failure) : errorBody(failure))

export const anthropicBody = (failure: Failure): AnthropicErrorBody => ({
  type: 'error',
  error: { type: anthropicType(ERRORS[failure.code].status), message: messageOf(failure), code: failure.code },
  src: 'lswap',
})

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
])

/** Anthropic's `error.type` for an HTTP status. */
const anthropicType = (status: number): string =>
  TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
