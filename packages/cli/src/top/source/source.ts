import type { Seen } from '../../client/feed.ts'
import type { Clock } from '../../router/clock.ts'
import type { UiEvent } from '../state/reduce.ts'
import type { Effect, SourceKind } from '../state/ui.ts'

/** What is heard of what is watched. */
export interface Listener {
  readonly seen: (seen: Seen) => void
  /** It lives, though nothing changed. */
  readonly heard: () => void
  /** Nothing is heard any more; `retryAt` on the clock, undefined: the connection stands and is waited for. */
  readonly lost: (why: string, retryAt: number | undefined) => void
}

export interface Following {
  readonly clock: Clock
  /** Ends it. */
  readonly signal: AbortSignal
  readonly listener: Listener
}

export interface Performing {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly tell: (event: UiEvent) => void
}

/** What needs somebody outside the dashboard. */
export type OutsideEffect = Exclude<Effect, { readonly type: 'quit' | 'suspend' }>

/** What the dashboard shows and drives: a router, or agents without one. */
export interface Source {
  readonly kind: SourceKind
  /** As a person would write it. */
  readonly url: string
  /** What there is now. */
  readonly first: () => Promise<Seen>
  /** Tells of it until the signal, over restarts and stalls. Rejects only when it was never seen. */
  readonly follow: (following: Following) => Promise<void>
  /** Carries out what keys ask for, and tells what came of it. */
  readonly performer: (performing: Performing) => (effect: OutsideEffect) => void
}
