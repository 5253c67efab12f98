import type { StopOutcome, Swap, SwapResult } from '@lswap/core'
import type { SwapProgress } from '@lswap/agent'
import type { Ticket } from './tickets.ts'

/** Told of what happened, right after it; nothing waits for it and nothing may throw. */
export interface LoopObserver {
  /** Something that can be seen may be different now. */
  changed?(): void
  granted?(ticket: Ticket): void
  swapStarted?(swap: Swap): void
  swapProgressed?(swap: Swap, progress: SwapProgress): void
  /** The one result of every swap. */
  swapEnded?(swap: Swap, result: SwapResult): void
  stopEnded?(outcomes: readonly StopOutcome[]): void
}
