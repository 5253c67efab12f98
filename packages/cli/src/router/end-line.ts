import { ANONYMOUS } from '@lswap/core'
import type { Call } from './call.ts'
import type { Log } from './log.ts'

/** How a call ended. */
export interface Ending {
  readonly status: number
  readonly durationMs: number
  /** Whether inference that succeeds is told. */
  readonly isWanted: boolean
}

/** Routes that change something or serve. */
const LOUD: ReadonlySet<string> = new Set(['inference', 'load', 'unload', 'pin', 'cancel', 'reload'])

/** The client left. */
const LEFT = 499
/** Whoever watches leaves when it has seen enough: these have no other end. */
const STREAMS: ReadonlySet<string> = new Set(['events', 'logs'])

/** One line for each request; those that only look are for who debugs. */
export const logEnd = (
  log: Log,
  { id, method, facts }: Pick<Call, 'id' | 'method' | 'facts'>,
  { status, durationMs, isWanted }: Ending,
): void => {
  const { route, caller, model, host, waitMs, attempts, failure } = facts
  const { prompt, completion, isEstimated } = facts.tokens?.() ?? NO_TOKENS
  // Always the same keys: what is undefined is not written
  const fields = {
    id,
    method,
    route,
    status,
    key: caller === ANONYMOUS ? undefined : caller,
    model,
    host,
    waitMs: waitMs === undefined ? undefined : Math.round(waitMs),
    durationMs: Math.round(durationMs),
    attempts: attempts === undefined || attempts < 2 ? undefined : attempts,
    promptTokens: prompt,
    completionTokens: isEstimated ? undefined : completion,
    pieces: isEstimated ? completion : undefined,
    code: failure?.code,
    reason: failure?.message,
  }
  const isExpected = status < 400 || (status === LEFT && STREAMS.has(route))
  const isQuiet = isExpected && (route === 'inference' ? !isWanted : !LOUD.has(route))
  if (isQuiet) log.debug(fields, 'request ended')
  else log.info(fields, 'request ended')
}

const NO_TOKENS = { prompt: undefined, completion: undefined, isEstimated: false }
