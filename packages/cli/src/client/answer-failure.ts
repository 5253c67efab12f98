import { ERRORS, type ErrorCode, LswapError } from '@lswap/core/errors'
import type { Answer } from './call.ts'
import { isRecord, optionalText } from './fields.ts'
import type { Target } from './target.ts'

/** The error that the router answered with, or what its status says when it is in another shape. `cause`: the whole answer. */
export const answerFailure = ({ status, body }: Answer, target: Target): LswapError => {
  const error = isRecord(body) ? body['error'] : undefined
  const message = isRecord(error) ? optionalText(error, 'message') : undefined
  if (!isRecord(error) || message === undefined) return stranger(status, target)
  const code = optionalText(error, 'code')
  const hint = optionalText(error, 'hint')
  return new LswapError(
    {
      code: code !== undefined && isErrorCode(code) ? code : codeOfStatus(status),
      message,
      ...(hint === undefined ? {} : { hint }),
    },
    { cause: body },
  )
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

/** For codes of a newer router: the code of ours that ends a command the same way. */
const codeOfStatus = (status: number): ErrorCode => {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 429) return 'resource_exhausted'
  if (status === 503) return 'shutting_down'
  if (status === 504) return 'timed_out'
  return status < 500 ? 'invalid_request' : 'internal'
}

const stranger = (status: number, target: Target): LswapError => {
  // A proxy in front of the router speaks for itself
  if (status === 401 || status === 403) {
    return new LswapError({ code: codeOfStatus(status), message: `${target.url} refused the request (${status}).` })
  }
  return new LswapError({
    code: 'unreachable',
    message: `What listens at ${target.url} is not lswap: it answered ${status} without an error of ours.`,
    hint: 'give the address of the router with --url or $LSWAP_URL',
  })
}
