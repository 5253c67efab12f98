import type { Placement } from '../ids.ts'
import type { WaitCause } from '../schedule/scheduler.ts'
import type { SwapTimings } from '../schedule/swap.ts'
import type { RequestTimeline, TimelineStep } from '../timeline/timeline.ts'
import { causeLabel } from './cause-label.ts'
import { placeText } from './text.ts'

export type SwapPhase = 'stop' | 'memory' | 'load'

/** One stretch of a request's life. */
export type SpanKind =
  /** In line, not looked at yet. */
  | { readonly type: 'queued' }
  | { readonly type: 'waiting'; readonly cause: WaitCause }
  /** The swap that it waited for. A running one is told apart only when it ends: until then it is `waiting`, cause `loading`. */
  | { readonly type: 'swap'; readonly phase: SwapPhase; readonly placement: Placement }
  /** From the grant to the first byte of the answer, or to the end of an attempt that brought none. */
  | { readonly type: 'engine'; readonly placement: Placement }
  /** From the first byte to the end. */
  | { readonly type: 'answer'; readonly placement: Placement }

export type Span = SpanKind & {
  /** On the clock of the events. */
  readonly from: number
  readonly to: number
  readonly ms: number
  readonly text: string
}

/** A request's life without gaps: each span begins where the one before ends, and their sum is the wall time. */
export const spansOf = ({ steps }: RequestTimeline, now: number): readonly Span[] => {
  const spans: Span[] = []
  let open: { readonly kind: SpanKind; readonly from: number } | undefined
  let swapEnd: Extract<TimelineStep, { type: 'swap-ended' }> | undefined
  let last: Placement | undefined
  const turn = (at: number, kind: SpanKind | undefined): void => {
    if (open !== undefined) spans.push(...closed(open, at, swapEnd?.timings))
    open = kind === undefined ? undefined : { kind, from: at }
    swapEnd = undefined
  }
  for (const step of steps) {
    switch (step.type) {
      case 'received':
      case 'requeued':
        turn(step.at, { type: 'queued' })
        break
      case 'blocked':
        turn(step.at, { type: 'waiting', cause: step.cause })
        break
      case 'granted':
        last = step.placement
        turn(step.at, { type: 'engine', placement: step.placement })
        break
      case 'first-byte':
        if (last !== undefined) turn(step.at, { type: 'answer', placement: last })
        break
      case 'swap-ended':
        swapEnd = step
        break
      case 'rejected':
      case 'cancelled':
      case 'done':
        turn(step.at, undefined)
        break
      case 'queued':
      case 'swap-started':
        break
      default:
        return step satisfies never
    }
  }
  turn(Math.max(now, open?.from ?? now), undefined)
  return spans
}

interface Stretch {
  readonly kind: SpanKind
  readonly from: number
}

const closed = ({ kind, from }: Stretch, to: number, timings: SwapTimings | undefined): Span[] => {
  if (to <= from) return []
  if (kind.type !== 'waiting' || kind.cause.type !== 'loading' || timings === undefined) return [spanOf(kind, from, to)]
  const { placement, sinceMs } = kind.cause
  // What the swap took beyond its three parts is the way to its host and back: told with the load
  const stopped = within(sinceMs + timings.stopMs, { from, to })
  const cleared = within(sinceMs + timings.stopMs + timings.memoryMs, { from, to })
  const phases: readonly (readonly [SwapPhase, number, number])[] = [
    ['stop', from, stopped],
    ['memory', stopped, cleared],
    ['load', cleared, to],
  ]
  return phases
    .filter(([, start, end]) => end > start)
    .map(([phase, start, end]) => spanOf({ type: 'swap', phase, placement }, start, end))
}

/** One who came in the middle of a swap sees only its rest. */
const within = (at: number, { from, to }: { readonly from: number; readonly to: number }): number =>
  Math.min(Math.max(at, from), to)

const spanOf = (kind: SpanKind, from: number, to: number): Span => ({
  ...kind,
  from,
  to,
  ms: to - from,
  text: textOf(kind),
})

const PHASES: Readonly<Record<SwapPhase, string>> = {
  stop: 'stopping what had to make room for',
  memory: 'waiting for memory to load',
  load: 'loading',
}

const textOf = (kind: SpanKind): string => {
  switch (kind.type) {
    case 'queued':
      return 'in line'
    case 'waiting':
      return causeLabel(kind.cause)
    case 'swap':
      return `${PHASES[kind.phase]} ${placeText(kind.placement)}`
    case 'engine':
      return `${placeText(kind.placement)} until the first byte`
    case 'answer':
      return `${placeText(kind.placement)} answers`
    default:
      return kind satisfies never
  }
}
