import { failureOf, formatIssue, type Failure } from '@lswap/core'
import { errorBody, messageOf } from '../answer/error-body.ts'
import { sendDocument, sendJson, wantsText } from '../answer/send.ts'
import type { Call } from '../call.ts'
import type { ReloadOutcome } from '../reload/outcome.ts'
import { untilGone } from './until-gone.ts'

export interface ReloadOptions {
  readonly reload: () => Promise<ReloadOutcome>
  readonly fail: (call: Call, failure: Failure) => void
}

/** Reads the configuration again; answers with what changed, or with everything that is wrong and where. */
export const serveReload = ({ reload, fail }: ReloadOptions, call: Call): void => {
  // It is done nevertheless: whoever asked wanted it
  const isAwaited = untilGone(call, { fail })
  reload().then(
    (outcome) => (isAwaited() ? answer(call, outcome, fail) : undefined),
    (error: unknown) => (isAwaited() ? fail(call, failureOf(error)) : undefined),
  )
}

const answer = (call: Call, outcome: ReloadOutcome, fail: ReloadOptions['fail']): void => {
  if (outcome.ok) return sendJson(call.res, 200, { msg: 'ok', ...outcome.changes, warnings: outcome.warnings })
  const { failure, issues } = outcome
  if (issues.length === 0) return fail(call, failure)
  call.facts.failure = failure
  if (!wantsText(call.req)) return sendJson(call.res, 400, { ...errorBody(failure), issues })
  const text = [...issues.map((issue) => formatIssue(issue)), messageOf(failure), ''].join('\n')
  return sendDocument(call.res, { status: 400, contentType: 'text/plain; charset=utf-8', text })
}
