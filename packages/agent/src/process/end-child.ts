import type { Child } from './child.ts'
import { pause, settledWithin } from './wait.ts'

/** A llama-server that waits for a request ends at the second signal. */
const SECOND_SIGNAL_MS = 1_000
/** SIGKILL works at once, unless the process hangs inside the kernel. */
const STUCK_AFTER_MS = 5_000
/** How long output is read on after the exit: somebody who inherited the pipe may hold it for ever. */
const OUTPUT_LIMIT_MS = 2_000
const SURVIVOR_POLL_MS = 20

/** How a child is asked to end: at first, and once more a second later. */
export interface Asking {
  readonly first: () => void
  readonly again: () => void
}

/** For processes that SIGKILL would harm: some wedge their device until the machine is started again. */
export interface Kindly {
  readonly signal: NodeJS.Signals
  readonly graceMs: number
}

export interface EndOptions {
  readonly child: Child
  /** Absent: killed at once. */
  readonly ask?: Asking
  /** From the first asking to SIGKILL. */
  readonly graceMs: number
  /** Cuts the grace short. */
  readonly hurry: AbortSignal
  /** It must never be killed: asked like this instead, and stuck when it does not end within the time. */
  readonly kindly?: Kindly | undefined
  /** From SIGKILL until the child counts as stuck; default {@link STUCK_AFTER_MS}. */
  readonly stuckAfterMs?: number | undefined
}

/** Then its group's number may belong to somebody else soon and must not be signalled. */
const isGone = (child: Child): boolean => child.exit() !== undefined && !child.family.hasSurvivors()

/** Whether child, group and strays are all gone within the time. */
const goneWithin = async (child: Child, limitMs: number, signal?: AbortSignal): Promise<boolean> => {
  if (limitMs <= 0) return isGone(child)
  const began = performance.now()
  if (!(await settledWithin(child.exited, limitMs, signal))) return false
  while (child.family.hasSurvivors()) {
    if (performance.now() - began >= limitMs || signal?.aborted === true) return false
    await pause(SURVIVOR_POLL_MS, signal)
  }
  return true
}

const askToEnd = async ({ child, ask, graceMs, hurry }: EndOptions): Promise<boolean> => {
  if (ask === undefined || hurry.aborted) return false
  ask.first()
  const firstMs = Math.min(SECOND_SIGNAL_MS, graceMs)
  if (await goneWithin(child, firstMs, hurry)) return true
  if (hurry.aborted || graceMs <= firstMs) return false
  child.family.lookForStrays()
  ask.again()
  return goneWithin(child, graceMs - firstMs, hurry)
}

/** Nobody's hurry shortens the time: there is nothing quicker to do. */
const withoutKill = (options: EndOptions, { signal, graceMs }: Kindly): EndOptions => {
  const { child } = options
  const send = (): void => {
    if (!isGone(child)) child.family.signal(signal)
  }
  return { ...options, ask: options.ask ?? { first: send, again: send }, graceMs, hurry: new AbortController().signal }
}

/**
 * Ends a child and everything it started, and lets its output run out. False: something survived even SIGKILL, or all
 * that is allowed, and keeps its memory.
 */
export const endChild = async (options: EndOptions): Promise<boolean> => {
  const { child, kindly, stuckAfterMs = STUCK_AFTER_MS } = options
  child.family.lookForStrays()
  if (!isGone(child) && !(await askToEnd(kindly === undefined ? options : withoutKill(options, kindly)))) {
    if (kindly !== undefined) return false
    child.family.lookForStrays()
    child.family.signal('SIGKILL')
    if (!(await goneWithin(child, stuckAfterMs))) return false
  }
  await settledWithin(child.outputClosed, OUTPUT_LIMIT_MS)
  child.release()
  return true
}
