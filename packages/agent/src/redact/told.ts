import type { Failure, Redact, SwapResult } from '@lswap/core'
import type { ProcessView } from '../agent.ts'

// What an agent tells may quote an engine, or the commands that it runs: it goes through here before anybody hears it.

export const redactedFailure = (failure: Failure, redact: Redact): Failure => {
  const { message, hint } = failure
  return { ...failure, message: redact(message), ...(hint === undefined ? {} : { hint: redact(hint) }) }
}

export const redactedResult = (result: SwapResult, redact: Redact): SwapResult =>
  result.outcome === 'failed' ? { ...result, failure: redactedFailure(result.failure, redact) } : result

export const redactedView = <View extends Pick<ProcessView, 'lastExit'>>(view: View, redact: Redact): View => {
  const { lastExit } = view
  if (lastExit === undefined) return view
  const { reason, lastLines } = lastExit
  return { ...view, lastExit: { ...lastExit, reason: redact(reason), lastLines: lastLines.map(redact) } }
}
