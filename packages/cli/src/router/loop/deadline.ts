import { LswapError } from '@lswap/core'
import type { Clock } from '../clock.ts'

export interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  /** Who did not answer, for the message. */
  readonly what: string
}

/** The promise's value, or `timed_out` when it does not come in time. */
export const withDeadline = <Value>(promise: Promise<Value>, { clock, limitMs, what }: Deadline): Promise<Value> =>
  new Promise<Value>((resolve, reject) => {
    const cancel = clock.setTimer(clock.now() + limitMs, () =>
      reject(new LswapError({ code: 'timed_out', message: `No answer from ${what} within ${limitMs / 1000} s.` })),
    )
    promise.then(resolve, reject).finally(cancel).catch(reject)
  })
