import type { Failure } from '@lswap/core'
import type { Call } from '../call.ts'

export interface UntilGoneOptions {
  readonly fail: (call: Call, failure: Failure) => void
  /** Nobody hears any more how it ends. Absent: what was asked for goes on without its asker. */
  readonly onGone?: () => void
}

/** Follows a call that is answered later. Returns whether somebody still waits for that answer; a call that is cut gets it now. */
export const untilGone = (call: Call, { fail, onGone }: UntilGoneOptions): (() => boolean) => {
  let isThere = true
  const gone = (): void => {
    isThere = false
    onGone?.()
  }
  call.follow({
    gone,
    cut: (failure) => {
      gone()
      fail(call, failure)
    },
  })
  return () => isThere
}
