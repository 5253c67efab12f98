import type { Failure } from '@lswap/core'

/** Why something went wrong, as states and lists tell it; null: nothing did. What to do about it is told with the error itself. */
export interface ToldFailure {
  readonly code: string
  readonly message: string
}

export const toldFailure = (failure: Failure | undefined): ToldFailure | null =>
  failure === undefined ? null : { code: failure.code, message: failure.message }
