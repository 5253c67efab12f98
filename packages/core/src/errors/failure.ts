import type { ErrorCode } from './table.ts'

/** An error as plain data: what events, commands, snapshots and RPC answers carry. */
export interface Failure {
  readonly code: ErrorCode
  /** One sentence for a person, without a trailing code. */
  readonly message: string
  /** What to do about it. */
  readonly hint?: string
  /** Estimate for `Retry-After`, for codes whose advice is `estimate`. */
  readonly retryAfterMs?: number
}

/** An error that lswap foresees: it has a code of the table. Bugs stay plain `Error`. */
export class LswapError extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = 'LswapError'
    this.failure = failure
  }

  get code(): ErrorCode {
    return this.failure.code
  }
}

/** The failure behind any thrown value; what is not ours becomes `internal`. */
export const failureOf = (thrown: unknown): Failure => {
  if (thrown instanceof LswapError) return thrown.failure
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) }
}
