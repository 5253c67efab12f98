import type { Failure, RequestId } from '@lswap/core'
import { sendJson } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { RunLoop } from '../loop.ts'
import { requestNotFound } from './requests.ts'

export interface CancelOptions {
  readonly loop: Pick<RunLoop, 'cancel' | 'records'>
  /** The HTTP request with this number, while it is open. */
  readonly callOf: (id: RequestId) => Call | undefined
  readonly fail: (call: Call, failure: Failure) => void
}

const CANCELLED: Failure = {
  code: 'cancelled',
  message: 'The request was cancelled through POST /api/requests/{id}/cancel.',
}

/** Ends a request that waits or runs; its client gets the error. Idempotent: one that is over stays as it ended. */
export const serveCancel = ({ loop, callOf, fail }: CancelOptions, call: Call, id: RequestId): void => {
  if (loop.records.find(id) === undefined) return fail(call, requestNotFound(String(id)))
  const cancelled = callOf(id)
  // A load that nobody waits for has no client to tell
  if (cancelled === undefined) loop.cancel(id)
  else cancelled.onCut(CANCELLED)
  return sendJson(call.res, 200, { msg: 'ok', id, state: loop.records.find(id)?.state ?? 'cancelled' })
}
