import type { Failure, ModelConfig, QueueEntry } from '@lswap/core'
import type { Clock } from './clock.ts'
import { secondsText } from './early/text.ts'
import type { AskedHeaders } from './request-headers.ts'

/** How long a request's client waits for its turn. */
export interface WaitLimit {
  /** It waits, perhaps again: the time runs on from the first call. */
  waits(): void
  /** Nothing is told any more. Idempotent. */
  stop(): void
}

export interface WaitLimitOptions {
  readonly limitMs: number
  readonly clock: Clock
  /** It may have its turn by now. */
  readonly exceeded: () => void
}

export const createWaitLimit = ({ limitMs, clock, exceeded }: WaitLimitOptions): WaitLimit => {
  let since: number | undefined
  let cancel: (() => void) | undefined
  return {
    waits: () => {
      since ??= clock.now()
      cancel?.()
      cancel = clock.setTimer(since + limitMs, exceeded)
    },
    stop: () => cancel?.(),
  }
}

/** What the client said counts, else what the file says; that only for those who hear nothing while they wait. */
export const waitLimitMs = (
  { maxWaitMs }: AskedHeaders,
  model: ModelConfig,
  { isTold }: { readonly isTold: boolean },
): number | undefined => maxWaitMs ?? (isTold ? undefined : model.maxWaitMs)

export interface Exceeded {
  readonly model: string
  readonly limitMs: number
  readonly entry: QueueEntry | undefined
}

/** The client is told when to come back, as far as that was ever measured. */
export const waitExceeded = ({ model, limitMs, entry }: Exceeded): Failure => {
  const { estimate } = entry ?? {}
  const rest = estimate === undefined ? '' : `, and it may take ${secondsText(estimate.medianMs)} more`
  return {
    code: 'wait_exceeded',
    message: `${model} did not come to this request within ${limitMs / 1000} s, as long as its client waits (X-Lswap-Max-Wait, maxWait)${rest}`,
    hint: 'a load goes on without it; try again after Retry-After',
    ...(estimate === undefined ? {} : { retryAfterMs: estimate.medianMs }),
  }
}
