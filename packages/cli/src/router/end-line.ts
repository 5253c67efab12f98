import { ANONYMOUS, type Failure } from '@lswap/core'
import type { Call, CallFacts } from './call.ts'
import type { Log } from './log.ts'

/** How a call ended. */
export interface Ending {
  readonly status: number
  readonly durationMs: number
}

/** Routes that change something or serve. */
const LOUD: ReadonlySet<string> = new Set(['inference', 'load', 'unload', 'pin', 'cancel', 'reload'])

/** One line for each request; those that only look are for who debugs. */
export const logEnd = (
  log: Log,
  { id, method, facts }: Pick<Call, 'id' | 'method' | 'facts'>,
  { status, durationMs }: Ending,
): void => {
  const { route, caller, model, host, waitMs, attempts, failure } = facts
  const fields = {
    id,
    method,
    route,
    status,
    ...(caller === undefined || caller === ANONYMOUS ? {} : { key: caller }),
    ...(model === undefined ? {} : { model }),
    ...(host === undefined ? {} : { host }),
    ...(waitMs === undefined ? {} : { waitMs: Math.round(waitMs) }),
    durationMs: Math.round(durationMs),
    ...(attempts === undefined || attempts < 2 ? {} : { attempts }),
    ...tokensIn(facts),
    ...codeOf(failure),
  }
  const isQuiet = !LOUD.has(route) && status < 400
  if (isQuiet) log.debug(fields, 'request ended')
  else log.info(fields, 'request ended')
}

const tokensIn = ({ tokens }: CallFacts): object => {
  const { prompt, completion, isEstimated } = tokens?.() ?? {}
  return {
    ...(prompt === undefined ? {} : { promptTokens: prompt }),
    ...(completion === undefined ? {} : { [isEstimated === true ? 'pieces' : 'completionTokens']: completion }),
  }
}

const codeOf = (failure: Failure | undefined): object =>
  failure === undefined ? {} : { code: failure.code, reason: failure.message }
