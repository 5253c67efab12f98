/** Bounds of the HTTP face. Times in milliseconds. */
export interface RouterLimits {
  /** The largest JSON body. */
  readonly maxBodyBytes: number
  /** The largest form with files. */
  readonly maxUploadBytes: number
  /** What one waiting request's body may hold in memory; more goes to a file until its turn. */
  readonly heldBodyBytes: number
  /** What all held bodies together may take. */
  readonly waitingBodyMemory: number
  /** What all files of waiting bodies together may take. */
  readonly waitingBodyDisk: number
  /** A header must be complete in this time. */
  readonly headersTimeoutMs: number
  /** A body that we wait for must go on within this time. */
  readonly bodyStallMs: number
  /** A client must take something of its answer within this time. */
  readonly answerStallMs: number
  /** How long one side of a switched connection may be silent once the other has ended. */
  readonly halfClosedMs: number
  /** How long the rest of a body is read and thrown away after an early answer, so that the client gets to see it. */
  readonly discardMs: number
  /** And how long that goes on while nothing comes. */
  readonly discardSilentMs: number
  /** How long running requests may go on at shutdown before they are cut. */
  readonly shutdownDrainMs: number
  /** How long agents may take at shutdown beyond the longest `unloadTimeout`, before they are told to kill. */
  readonly agentsSlackMs: number
}

export const DEFAULT_ROUTER_LIMITS: RouterLimits = {
  maxBodyBytes: 256 * 1024 * 1024,
  maxUploadBytes: 4 * 1024 * 1024 * 1024,
  heldBodyBytes: 1024 * 1024,
  waitingBodyMemory: 64 * 1024 * 1024,
  waitingBodyDisk: 8 * 1024 * 1024 * 1024,
  headersTimeoutMs: 15_000,
  bodyStallMs: 60_000,
  answerStallMs: 60_000,
  halfClosedMs: 10_000,
  // As nginx has it: who sends all before it reads may have a slow line
  discardMs: 30_000,
  discardSilentMs: 5_000,
  shutdownDrainMs: 10_000,
  // After a SIGKILL, for pipes that a grandchild holds open
  agentsSlackMs: 3_000,
}
